/** What happens in each round and how each life of the daemon ends: all of it from the seed, none of it from the clock. */
import { Random, times } from "../../bench/random.js";
import type { KillPoint } from "../../src/kill-point.js";
import { FAULTS, type FaultKind } from "./platform.js";

export interface Round {
  faults: { kind: FaultKind; lastsMs: number }[];
  messages: PlannedMessage[];
  /** Before the next one. */
  restMs: number;
}

export interface PlannedMessage {
  place: number;
  person: number;
  /**
   * Long: the answer needs several messages. Slow: the turn takes a while, and may be met by a death. Shown: so does
   * this one, and what there is of the answer can be read meanwhile.
   */
  kind: "plain" | "slow" | "shown" | "long";
  slowMs: number;
  afterMs: number;
}

export type Death =
  | { at: "moment"; from: "launch" | "ready"; afterMs: number }
  | { at: KillPoint; count: number };

const MAX_MESSAGES = 4;
const MAX_FAULT_MS = 800;
const MAX_REST_MS = 900;
const MAX_GAP_MS = 40;
const MAX_TURN_MS = 250;
/** From the start of the process; about as long as a start takes. */
const START_MS = 1200;
const MAX_AGE_MS = 900;
const MAX_TIMES = 3;

export const POINTS: readonly KillPoint[] = [
  "accepted",
  "turn-started",
  "preview-shown",
  "turn-answered",
  "turn-committed",
  "before-send",
  "part-sent",
  "part-sent",
  "part-stored",
  "sent",
  "settled",
];

/** Rounds and deaths draw from dice of their own: how many deaths there are changes nothing about the rounds. */
export function planRounds(seed: number, count: number, places: readonly { people: number }[]): Round[] {
  const random = new Random(seed);
  const bag: FaultKind[] = [];
  return times(count, () => planRound(random, bag, places));
}

function planRound(random: Random, bag: FaultKind[], places: readonly { people: number }[]): Round {
  return {
    faults: pickFaults(random, bag).map((kind) => ({ kind, lastsMs: random.between(30, MAX_FAULT_MS) })),
    messages: times(random.between(1, MAX_MESSAGES), () => planMessage(random, places)),
    restMs: random.between(0, MAX_REST_MS),
  };
}

/** From a bag that is filled again when it is empty: each kind has its turn, also in a short storm. */
function pickFaults(random: Random, bag: FaultKind[]): FaultKind[] {
  return times(random.pick([0, 1, 1, 2]), () => {
    if (bag.length === 0) bag.push(...FAULTS);
    return bag.splice(random.between(0, bag.length - 1), 1)[0]!;
  });
}

function planMessage(random: Random, places: readonly { people: number }[]): PlannedMessage {
  const place = random.between(0, places.length - 1);
  const kind = random.pick(["plain", "plain", "slow", "shown", "shown", "long"] as const);
  return {
    place,
    person: random.between(0, places[place]!.people - 1),
    kind,
    slowMs: random.between(20, MAX_TURN_MS),
    afterMs: random.between(0, MAX_GAP_MS),
  };
}

export function planDeath(seed: number, life: number, points: readonly KillPoint[]): Death {
  const random = new Random(seed * 7919 + life);
  if (random.chance(0.45)) return { at: random.pick(points), count: random.between(1, MAX_TIMES) };
  const starting = random.chance(0.25);
  return {
    at: "moment",
    from: starting ? "launch" : "ready",
    afterMs: random.between(0, starting ? START_MS : MAX_AGE_MS),
  };
}
