/** Tool calls in messages: ours or the client's, with or without a result. */
import { field } from "./field.js";
import type { ChatMessage } from "./session.js";

export interface Call {
  id: string;
  name: string;
  /** Raw arguments from the model, normally JSON. */
  arguments: string;
}

export function readCalls(message: ChatMessage): Call[] {
  return (message.tool_calls ?? []).flatMap((call) => {
    const fn = field(call, "function");
    const [id, name, args] = [field(call, "id"), field(fn, "name"), field(fn, "arguments")];
    if (typeof id !== "string" || typeof name !== "string") return [];
    return [{ id, name, arguments: typeof args === "string" ? args : JSON.stringify(args ?? {}) }];
  });
}

/** Calls of the last round without a result. */
export function openCalls(messages: readonly ChatMessage[]): Call[] {
  const from = messages.findLastIndex(({ role }) => role === "assistant");
  const round = messages[from];
  if (!round) return [];
  const answered = new Set(messages.slice(from + 1).map(({ tool_call_id }) => tool_call_id));
  return readCalls(round).filter(({ id }) => !answered.has(id));
}

/** Results refer to calls by id, but some models repeat ids, so each call of a turn gets a unique one. */
export class CallIds {
  readonly #used: Set<string>;

  constructor(earlier: readonly Call[]) {
    this.#used = new Set(earlier.map(({ id }) => id));
  }

  unique(calls: readonly Call[]): Call[] {
    return calls.map((call) => {
      let { id } = call;
      for (let n = 2; id === "" || this.#used.has(id); n++) id = `${call.id || "call"}_${n}`;
      this.#used.add(id);
      return { ...call, id };
    });
  }
}

export function storedCall({ id, name, arguments: args }: Call): unknown {
  return { id, type: "function", function: { name, arguments: args } };
}

/** Splits calls into ours and the client's own tools. */
export function splitCalls(
  calls: readonly Call[],
  clientTools: readonly { name: string }[] = [],
): { ours: Call[]; theirs: Call[] } {
  const isTheirs = ({ name }: Call) => clientTools.some((tool) => tool.name === name);
  return { ours: calls.filter((call) => !isTheirs(call)), theirs: calls.filter(isTheirs) };
}

/** Undefined if it isn't a JSON object. */
export function parseArguments(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json.trim() || "{}");
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
