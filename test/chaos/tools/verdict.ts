/**
 * Which calls were planned, which are recorded, which effects there were, what the model was asked → how often each promise
 * about tools was broken. Pure.
 */
import type { Effect } from "./counter.js";
import type { Asked } from "./model.js";

export interface Call {
  token: string;
  tool: string;
  call: number;
}

/** A call in the gateway's record. */
export interface Made extends Call {
  key: string;
  state: string;
  result?: string | null;
}

export interface ToolEvidence {
  planned: readonly Call[];
  made: readonly Made[];
  effects: readonly Effect[];
  asked: readonly Asked[];
}

export interface ToolVerdict {
  calls: number;
  effects: number;
  /** Calls whose outcome is unknown, and of which the model was told so. */
  unknown: number;
  /** Effects of repeatable calls that were repeated, under the same key. */
  repeats: number;
  /** Calls of MCP tools that weren't offered, because their server took too long to start: recorded, without an effect. */
  notOffered: number;
  requests: number;
  /** Requests whose answer a crash cut off before it was recorded, so that they were made again. */
  paidTwice: number;
  /** Calls that can't be repeated and had more than one effect. */
  doubled: string[];
  /** Calls without a record, without an end, with a wrong end, or with an unknown outcome that the model didn't learn. */
  unrecorded: string[];
  /** Calls that were made again under another key, and steps that were asked for after a later one. */
  restarted: string[];
}

/** The result of a call to a tool that wasn't offered. */
const NO_TOOL = 'Error: there is no tool "mcp__';

/** Calls of the other tools may be repeated. */
export function isOnce(tool: string): boolean {
  return tool.endsWith("post");
}

export function judgeTools({ planned, made, effects, asked }: ToolEvidence): ToolVerdict {
  const byKey = grouped(effects, ({ key }) => key);
  const byCall = grouped(made, nameOf);
  const effectsOf = ({ key }: Made) => byKey.get(key)?.length ?? 0;
  const unknown = made.filter(({ state }) => state === "unknown");
  const notTold = unknown.filter((call) => !wasTold(call, unknown, asked));
  const isNotOffered = (call: Made) =>
    call.state === "failed" && (call.result ?? "").startsWith(NO_TOOL) && effectsOf(call) === 0;
  const recorded = new Set(made.map(({ key }) => key));
  const wrongEnd = made.filter((call) => {
    if (isNotOffered(call)) return false;
    if (call.state === "unknown") return !isOnce(call.tool);
    return call.state !== "done" || effectsOf(call) === 0;
  });
  return {
    calls: made.length,
    effects: effects.length,
    unknown: unknown.length,
    repeats: made
      .filter(({ tool }) => !isOnce(tool))
      .reduce((sum, call) => sum + Math.max(0, effectsOf(call) - 1), 0),
    notOffered: made.filter(isNotOffered).length,
    requests: asked.length,
    paidTwice: asked.length - new Set(asked.map(({ token, round }) => `${token} ${round}`)).size,
    doubled: [...grouped(effects, nameOf).values()]
      .filter((same) => isOnce(same[0]!.tool) && same.length > 1)
      .map(([effect]) => nameOf(effect!)),
    unrecorded: [
      ...planned.filter((call) => !byCall.has(nameOf(call))).map((call) => `${nameOf(call)} was never made`),
      ...effects.filter(({ key }) => !recorded.has(key)).map((effect) => `${nameOf(effect)} isn't recorded`),
      ...wrongEnd.map((call) => `${nameOf(call)} is ${call.state} with ${effectsOf(call)} effects`),
      ...notTold.map((call) => `${nameOf(call)} is unknown, and the model wasn't told`),
    ],
    restarted: [
      ...[...byCall.values()]
        .filter((same) => same.length > 1)
        .map(([call]) => `${nameOf(call!)} was made again`),
      ...stepsBack(asked),
    ],
  };
}

export function areToolsKept({ doubled, unrecorded, restarted }: ToolVerdict): boolean {
  return [doubled, unrecorded, restarted].every((broken) => broken.length === 0);
}

function nameOf({ token, tool, call }: Call): string {
  return `${tool} ${call} of ${token}`;
}

/** A later request of its turn had as many such results as the turn has such calls. */
function wasTold({ token }: Made, unknown: readonly Made[], asked: readonly Asked[]): boolean {
  return asked.some(({ tokens, unknown: told }) => {
    const count = unknown.filter((call) => tokens.includes(call.token)).length;
    return tokens.includes(token) && told >= count;
  });
}

function stepsBack(asked: readonly Asked[]): string[] {
  return [...grouped(asked, ({ token }) => token)].flatMap(([token, requests]) =>
    requests.flatMap(({ round }, i) => {
      const before = requests[i - 1]?.round ?? 0;
      return round < before ? [`${token} was asked for round ${round} after round ${before}`] : [];
    }),
  );
}

function grouped<T>(items: readonly T[], name: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(name(item), [...(groups.get(name(item)) ?? []), item]);
  return groups;
}
