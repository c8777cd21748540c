/** Changes of states → reports for the inbox: each entity's net change since its last report. One after another. */
import { pause } from "../../backoff.js";
import { BoundedMap } from "../../bounded-map.js";
import { SerialQueue } from "../../serial-queue.js";
import type { AdapterEvents } from "../adapter.js";
import { isRecord } from "../kit/rest.js";
import { retry } from "../kit/retry.js";
import type { Settings } from "./config.js";
import { stateCursor } from "./ids.js";
import { type EntityState, isGone, isWatched, messageOf, readChange } from "./normalise.js";

export interface ReceiverParts {
  settings: Settings;
  events: AdapterEvents;
  signal: AbortSignal;
  /** Called when the inbox stops or resumes accepting messages. */
  stuck(isStuck: boolean): void;
  /** A change was lost: all states must be compared again. */
  incomplete(): void;
}

/** What an entity was when it was last looked at, of which the inbox has a report. */
interface Known {
  state: string;
  updatedMs: number;
}

/** Entity → state. */
type Baseline = Readonly<Record<string, string>>;

const MAX_ENTITIES = 10_000;
const MAX_WAITING = 10_000;
/** One cursor for all entities that were never reported. */
const BASELINE = "baseline";
/** Reads of the store at a time: others needn't wait for thousands. */
const READS_AT_ONCE = 100;

export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #queue = new SerialQueue(MAX_WAITING);
  readonly #known = new BoundedMap<string, Known>(MAX_ENTITIES);
  readonly #reportedMs = new BoundedMap<string, number>(MAX_ENTITIES);
  /** Changes during a cooldown: the newest state of each entity. */
  readonly #waiting = new BoundedMap<string, EntityState>(MAX_ENTITIES);
  #baseline: Baseline | undefined;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
  }

  /** What Home Assistant pushes. */
  push(data: unknown): void {
    const change = readChange(data);
    if (!change || !this.#isWatched(change.now)) return;
    this.#add(() => this.#changed(change.now, change.before));
  }

  /** After each connect, before any push: nothing tells what happened until then. */
  compare(states: Promise<readonly EntityState[]>): void {
    this.#add(async () => {
      // If reading them fails, the uplink fails, and the next one compares.
      const now = (await states.catch(() => [])).filter((state) => this.#isWatched(state));
      const before = await this.#persist(() => this.#learn(now));
      // The current state counts, whatever the clocks say.
      for (const state of now.toSorted((a, b) => a.changedMs - b.changedMs))
        await this.#see(state, before.get(state.entityId)!, true);
    });
  }

  /** Until the signal aborts. */
  async watchCooldowns(): Promise<void> {
    const { settings, signal } = this.#parts;
    while (!signal.aborted) {
      await pause(settings.timing.sweepMs, signal);
      for (const [entityId, state] of this.#waiting.entries()) {
        if (signal.aborted || this.#isCooling(entityId)) continue;
        this.#waiting.delete(entityId);
        this.#add(() => this.#changed(state, undefined));
      }
    }
  }

  /** Resolves when the inbox has all that came. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  #add(work: () => Promise<void>): void {
    const { signal, incomplete, settings } = this.#parts;
    const run = async () => {
      if (!signal.aborted) await work();
    };
    this.#queue.add("states", run).catch((error: unknown) => {
      if (signal.aborted) return;
      settings.log("warn", "too many pending changes in Home Assistant: comparing all states", {
        err: error,
      });
      incomplete();
    });
  }

  #isWatched({ entityId, state }: EntityState): boolean {
    const { watch, watchUnavailable } = this.#parts.settings;
    return isWatched(entityId, watch) && (watchUnavailable || !isGone(state));
  }

  // ── one state ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Skips a push that is older than the last comparison. */
  async #changed(now: EntityState, before: EntityState | undefined): Promise<void> {
    const known = (await this.#persist(() => this.#knownOf(now.entityId))) ?? before;
    if (!known) return this.#learnOne(now);
    if (now.updatedMs >= known.updatedMs) await this.#see(now, known.state, false);
  }

  async #see(now: EntityState, before: string, isLate: boolean): Promise<void> {
    const { entityId, state, updatedMs } = now;
    this.#waiting.delete(entityId);
    if (state === before) this.#known.set(entityId, { state, updatedMs });
    else if (this.#isCooling(entityId)) this.#waiting.set(entityId, now);
    else await this.#report(now, before, isLate);
  }

  async #report(now: EntityState, before: string, isLate: boolean): Promise<void> {
    const { events, settings } = this.#parts;
    const { entityId, state, updatedMs } = now;
    const message = messageOf(now, before, settings.account, isLate);
    await this.#persist(() => events.receive(message, { name: stateCursor(entityId), value: state }));
    this.#known.set(entityId, { state, updatedMs });
    this.#reportedMs.set(entityId, performance.now());
  }

  #isCooling(entityId: string): boolean {
    const at = this.#reportedMs.get(entityId);
    return at !== undefined && performance.now() - at < this.#parts.settings.cooldownSeconds * 1000;
  }

  // ── what is known ─────────────────────────────────────────────────────────────────────────────────────────────────

  async #knownOf(entityId: string): Promise<Known | undefined> {
    const { events } = this.#parts;
    const inMemory = this.#known.get(entityId);
    if (inMemory) return inMemory;
    const state = (await events.cursor(stateCursor(entityId))) ?? (await this.#readBaseline())[entityId];
    return state === undefined ? undefined : { state, updatedMs: 0 };
  }

  /** Returns what each entity was before. New entities aren't reported; their later changes are. */
  async #learn(states: readonly EntityState[]): Promise<Map<string, string>> {
    // First, and only once: it is as long as all entities together.
    const baseline = await this.#readBaseline();
    const before = new Map<string, string>();
    const added: Record<string, string> = {};
    for (let i = 0; i < states.length; i += READS_AT_ONCE) {
      const some = states.slice(i, i + READS_AT_ONCE);
      const known = await Promise.all(some.map(({ entityId }) => this.#knownOf(entityId)));
      for (const [j, { entityId, state }] of some.entries()) {
        before.set(entityId, known[j]?.state ?? state);
        if (!known[j]) added[entityId] = state;
      }
    }
    if (Object.keys(added).length > 0) await this.#saveBaseline({ ...baseline, ...added });
    return before;
  }

  /** With a cursor of its own: thousands of entities that appear one by one don't each rewrite the baseline. */
  async #learnOne({ entityId, state, updatedMs }: EntityState): Promise<void> {
    await this.#persist(() => this.#parts.events.saveCursor({ name: stateCursor(entityId), value: state }));
    this.#known.set(entityId, { state, updatedMs });
  }

  async #readBaseline(): Promise<Baseline> {
    this.#baseline ??= baselineOf(await this.#parts.events.cursor(BASELINE));
    return this.#baseline;
  }

  async #saveBaseline(baseline: Baseline): Promise<void> {
    await this.#parts.events.saveCursor({ name: BASELINE, value: JSON.stringify(baseline) });
    this.#baseline = baseline;
  }

  /** Retries until it works or the adapter stops: then the states are compared at the next start. */
  async #persist<T>(work: () => Promise<T>): Promise<T> {
    const { settings, signal, stuck } = this.#parts;
    let hasFailed = false;
    const onFailure = () => {
      hasFailed = true;
      stuck(true);
      return undefined;
    };
    const value = await retry(work, { backoff: settings.timing.receiveRetry, signal, onFailure });
    if (hasFailed) stuck(false);
    return value;
  }
}

function baselineOf(text: string | undefined): Baseline {
  const value: unknown = text === undefined ? {} : JSON.parse(text);
  return isRecord(value) ? (value as Baseline) : {};
}
