/** Repeated identical calls within a turn: first the model gets a warning, then the turn's tools stop. Pure. */
import { createHash } from "node:crypto";

/** The same tool with the same arguments, this many times. */
const WARN_AT = 3;
const STOP_AT = 6;
/** Repeats in a row of different calls (A, B, A, B) add up too. */
const STOP_AT_REPEATS = 20;
const MAX_REMEMBERED = 200;

export interface LoopState {
  /** How often each call was made; the most recent last. */
  readonly counts: ReadonlyMap<string, number>;
  /** Calls of this turn that had been made before. */
  readonly repeats: number;
}

export interface LoopVerdict {
  state: LoopState;
  /** `warn`: the result carries the note. `stop`: the call doesn't run, and neither does any later one of this turn. */
  verdict: "run" | "warn" | "stop";
  /** For the model; empty with `run`. */
  note: string;
}

export const NO_CALLS: LoopState = { counts: new Map(), repeats: 0 };

/** Counts a call before it runs. */
export function countCall(
  state: LoopState,
  { name, args }: { name: string; args: Readonly<Record<string, unknown>> },
): LoopVerdict {
  const key = createHash("sha256")
    .update(`${name} ${stableJson(args)}`)
    .digest("base64");
  const count = (state.counts.get(key) ?? 0) + 1;
  const repeats = state.repeats + (count > 1 ? 1 : 0);
  const next = { counts: withCount(state.counts, key, count), repeats };
  if (count >= STOP_AT || repeats >= STOP_AT_REPEATS)
    return { state: next, verdict: "stop", note: stopNote(name, count) };
  if (count >= WARN_AT) return { state: next, verdict: "warn", note: warnNote(name, count) };
  return { state: next, verdict: "run", note: "" };
}

function warnNote(name: string, count: number): string {
  return (
    `[Note: you have called ${name} ${count} times with the same arguments. Its result won't change. ` +
    `Use what you have, try something else, or answer. At ${STOP_AT} times all tools stop for this turn.]`
  );
}

function stopNote(name: string, count: number): string {
  return (
    `Error: this call of ${name} was repeated too often (${count} times), so the tools are off for the rest of this turn. ` +
    "Answer with what you know, and say what you couldn't do."
  );
}

function withCount(counts: ReadonlyMap<string, number>, key: string, count: number): Map<string, number> {
  const next = new Map(counts);
  next.delete(key);
  next.set(key, count);
  if (next.size > MAX_REMEMBERED) next.delete(next.keys().next().value!);
  return next;
}

/** The same text for the same arguments in any order. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
