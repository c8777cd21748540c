/** People write, the daemon dies again and again, the platform has a bad day; then it is calm, and everything is counted. */
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Random } from "../../bench/random.js";
import { builtIn } from "../../src/adapters/platforms.js";
import type { KillPoint } from "../../src/kill-point.js";
import { Daemon } from "../support/daemon.js";
import { inspect } from "../support/old-schemas.js";
import { tempDir } from "../support/temp.js";
import { until } from "../support/until.js";
import { Lives } from "./lives.js";
import { type PlannedMessage, POINTS, planRounds, type Round } from "./plan.js";
import { DURING_A_ROUND, type EndFault, FAULTS, type FaultKind, type Platform } from "./platform.js";
import { answeredTokens, type Evidence, type Said, type Seen, tokensIn } from "./verdict.js";
import { written } from "./written.js";

/** Who answers, and what people write to it. */
export interface Cast {
  /** For config.yaml. */
  yaml: string;
  /** In place of the usual program. */
  program?: readonly string[];
  env: Record<string, string>;
  points: readonly KillPoint[];
  /** Rounds for each death, at most. */
  roundsADeath: number;
  /** A message that joins a running turn overtakes those of others: each person's messages have an order of their own. */
  steers?: true;
  /** A message, and the tokens that its answer has. */
  write(number: number, message: PlannedMessage, longChars: number): { text: string; tokens: string[] };
}

/** The echo agent. */
const ECHO: Cast = { yaml: "", env: {}, points: POINTS, roundsADeath: 2, write: written };

export interface StormOptions {
  platform: Platform;
  cast?: Cast;
  seed: number;
  rounds: number;
  home?: string;
  progress?(done: number): void;
}

/** Three crashes in a row during its turn make a message a dead letter, so no message gets three. */
const MAX_DEATHS = 2;
const MAX_OPEN = 16;
/** After this long without a new answer, missing answers count as lost. */
const PATIENCE_MS = 60_000;

export async function storm(options: StormOptions): Promise<Evidence> {
  const { platform, seed, rounds, home, cast = ECHO } = options;
  const { program, points, env } = cast;
  const daemon = new Daemon({
    yaml: configOf(platform) + cast.yaml,
    ...(home === undefined ? {} : { home }),
    ...(program === undefined ? {} : { program }),
  });
  const people = new People(platform, cast);
  const settled = new Settled(daemon.home);
  const lives = new Lives(daemon, {
    ...{ seed, points, env },
    died: () => settled.look(),
    // A message that has waited for so long counts as lost: it must not end the deaths.
    mayDie: () =>
      people
        .open()
        .every(
          ({ deathsBefore, atMs }) =>
            lives.deaths - deathsBefore < MAX_DEATHS || Date.now() - atMs > PATIENCE_MS,
        ),
    patienceMs: PATIENCE_MS,
  });
  await lives.running();
  platform.gatewayAt?.(daemon.url);
  await greet(people, lives);
  const dying = lives.storm();
  const sky = new Sky(platform, new Random(seed + 1));
  for (const [number, round] of planRounds(seed, rounds, platform.places).entries()) {
    await play(round, number, { platform, people, lives, sky });
    await lives.keepUp(Math.floor((number + 1) / cast.roundsADeath));
    options.progress?.(number + 1);
  }
  await lives.calm();
  await dying;
  await sky.calm();
  await drain(people, daemon.home);
  const deaths = [...lives.deathsAtMs];
  await lives.end();
  return {
    platform: platform.name,
    promises: builtIn(platform.name)!.promises!,
    droppedTokens: platform.droppedTokens?.() ?? [],
    said: people.said,
    seen: people.seen(),
    deathsAtMs: deaths,
    settledAtMs: Object.fromEntries(settled.atMs),
    cutsAtMs: [...sky.cutsAtMs, ...platform.unansweredAtMs()],
    faults: sky.counts,
    crashes: lives.crashes.map(({ stderr }) => stderr.slice(-2000)),
    stored: storedIn(daemon.home),
    logs: lives.runs.map(({ stderr }) => stderr),
    home: daemon.home,
  };
}

function configOf(platform: Platform): string {
  return `
session_reset: {mode: none}
streaming: {edit_interval: 0.05}
allow_all: true
platforms:
  ${platform.config}
`;
}

/** Everyone writes once before the storm: a platform may not report a chat that started while the gateway was down. */
async function greet(people: People, lives: Lives): Promise<void> {
  for (const [place, { people: count }] of people.places.entries())
    for (let person = 0; person < count; person += 1)
      people.say({ place, person, kind: "plain", slowMs: 0, afterMs: 0 }, lives.deaths);
  await answered(people, 0);
}

async function play(
  round: Round,
  number: number,
  { platform, people, lives, sky }: { platform: Platform; people: People; lives: Lives; sky: Sky },
): Promise<void> {
  const ends: EndFault[] = [];
  for (const fault of round.faults) ends.push(await sky.begin(fault));
  const reordered = !platform.numbersEvents && round.faults.some(({ kind }) => kind === "reorder");
  for (const message of round.messages) {
    await pause(message.afterMs);
    people.say(message, lives.deaths, reordered ? number : undefined);
  }
  for (const end of ends) await end();
  await pause(round.restMs);
  await answered(people, MAX_OPEN);
}

/** Waits until no more than so many are without an answer; gives up when nothing moves any more. */
async function answered(people: People, most: number): Promise<void> {
  let left = Number.POSITIVE_INFINITY;
  let movedAtMs = performance.now();
  for (;;) {
    const open = people.open().length;
    if (open <= most) return;
    if (open < left) movedAtMs = performance.now();
    left = open;
    if (performance.now() - movedAtMs > PATIENCE_MS) return;
    await pause(25);
  }
}

/** All is answered, and nothing is under way that could still be said twice. */
async function drain(people: People, home: string): Promise<void> {
  await answered(people, 0);
  const isStill = () => openRows(home).length === 0;
  await until("nothing is under way", isStill, { timeoutMs: PATIENCE_MS }).catch(() => undefined);
}

// ── people ──────────────────────────────────────────────────────────────────────────────────────────────────────────

class People {
  readonly said: Said[] = [];
  readonly #platform: Platform;
  readonly #cast: Cast;
  #open: Said[] = [];

  constructor(platform: Platform, cast: Cast) {
    this.#platform = platform;
    this.#cast = cast;
  }

  get places() {
    return this.#platform.places;
  }

  say(message: PlannedMessage, deathsBefore: number, batch?: number): void {
    const number = this.said.length;
    const place = this.places[message.place]!;
    const { text, tokens } = this.#cast.write(number, message, this.#platform.longChars);
    const shared = place.say(message.person, text);
    const conversation = this.#cast.steers ? `${shared} ${message.person}` : shared;
    const said = { number, place: place.name, conversation, tokens, batch, deathsBefore, atMs: Date.now() };
    this.said.push(said);
    this.#open.push(said);
  }

  /** Those that wait for an answer. */
  open(): Said[] {
    if (this.#open.length === 0) return [];
    const over = new Set([...answeredTokens(this.seen()), ...(this.#platform.droppedTokens?.() ?? [])]);
    this.#open = this.#open.filter((said) => !said.tokens.every((token) => over.has(token)));
    return this.#open;
  }

  seen(): Seen[] {
    return this.places.flatMap((place) => place.seen().map((visible) => ({ ...visible, place: place.name })));
  }
}

// ── weather ─────────────────────────────────────────────────────────────────────────────────────────────────────────

class Sky {
  readonly counts = Object.fromEntries(FAULTS.map((kind) => [kind, 0])) as Record<FaultKind, number>;
  /** When connections were cut: pending requests then have an unknown outcome. */
  readonly cutsAtMs: number[] = [];
  readonly #platform: Platform;
  readonly #random: Random;
  readonly #lasting = new Map<FaultKind, Promise<void>>();

  constructor(platform: Platform, random: Random) {
    this.#platform = platform;
    this.#random = random;
  }

  async begin({ kind, lastsMs }: { kind: FaultKind; lastsMs: number }): Promise<EndFault> {
    if (this.#lasting.has(kind)) return () => {};
    this.counts[kind] += 1;
    const end = await this.#platform.begin(kind, this.#random);
    if (kind === "outage" || kind === "disconnect") this.cutsAtMs.push(Date.now());
    if (DURING_A_ROUND.includes(kind)) return end;
    const over = pause(lastsMs).then(end);
    this.#lasting.set(
      kind,
      over.finally(() => this.#lasting.delete(kind)),
    );
    return () => {};
  }

  async calm(): Promise<void> {
    await Promise.all(this.#lasting.values());
    await this.#platform.calm();
    for (const kind of FAULTS) this.counts[kind] -= this.#platform.unmet[kind] ?? 0;
  }
}

// ── what is on the disk ─────────────────────────────────────────────────────────────────────────────────────────────

function rows<T>(home: string, query: string): T[] {
  return inspect(path.join(home, "state.db"), (db) => db.prepare(query).all() as T[]);
}

function openRows(home: string): { what: string }[] {
  return rows(
    home,
    `SELECT 'inbox ' || id || ' ' || state || ' ' || COALESCE(error, '') AS what FROM gw_inbox
       WHERE state IN ('waiting', 'running', 'dead')
     UNION ALL
     SELECT 'outbox ' || id || ' ' || state || ' ' || COALESCE(error, '') FROM gw_outbox
       WHERE state IN ('pending', 'sending', 'unknown', 'dead')`,
  );
}

/** Which answers stood in the outbox as sent when the daemon had died: those it must not send again. */
class Settled {
  /** Token → when it was found so first. */
  readonly atMs = new Map<string, number>();
  readonly #home: string;
  readonly #folder = tempDir();

  constructor(home: string) {
    this.#home = home;
  }

  /** In a copy: opening the file itself would recover it, and that is for the next life to do. */
  look(): void {
    const now = Date.now();
    const copy = fs.mkdtempSync(path.join(this.#folder, "death-"));
    for (const name of ["state.db", "state.db-wal"])
      if (fs.existsSync(path.join(this.#home, name)))
        fs.copyFileSync(path.join(this.#home, name), path.join(copy, name));
    for (const token of settledTexts(copy).flatMap(tokensIn))
      if (!this.atMs.has(token)) this.atMs.set(token, now);
    fs.rmSync(copy, { recursive: true });
  }
}

/** Also parts that have their ids, of messages with parts that don't. */
function settledTexts(home: string): string[] {
  const found = rows<{ text: string }>(
    home,
    `SELECT text FROM gw_outbox WHERE state = 'sent'
     UNION ALL
     SELECT part.value FROM gw_outbox, json_each(gw_outbox.parts) AS part
       WHERE state <> 'sent' AND json_extract(part.value, '$.ids') IS NOT NULL`,
  );
  return found.map(({ text }) => text);
}

function storedIn(home: string): Evidence["stored"] {
  return {
    open: openRows(home).map(({ what }) => what),
    answers: rows<{ text: string }>(home, "SELECT text FROM gw_outbox WHERE kind = 'answer' ORDER BY id").map(
      ({ text }) => text,
    ),
    questions: rows<{ content: string }>(
      home,
      "SELECT content FROM messages WHERE role = 'user' ORDER BY id",
    ).map(({ content }) => content),
  };
}
