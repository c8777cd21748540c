/** What came of storms with tools → their table, and what the broken promises were. */
import { brokenPromises, type Line, namedLines, tableOf } from "../table.js";
import { isKept } from "../verdict.js";
import type { ToolOutcome } from "./storm.js";
import { areToolsKept } from "./verdict.js";

/** In `bench/results-chaos.md`. */
export const TOOLS_TITLE = "## With tools";

export function isAllKept({ verdict, tools }: ToolOutcome): boolean {
  return isKept(verdict) && areToolsKept(tools);
}

export function toolCellsOf(outcome: ToolOutcome): Line {
  const { seed, rounds, evidence, verdict, tools } = outcome;
  return {
    platform: evidence.platform,
    seed,
    rounds,
    messages: evidence.said.length,
    kills: evidence.deathsAtMs.length,
    calls: tools.calls,
    effects: tools.effects,
    unknown: tools.unknown,
    "safe repeats": tools.repeats,
    "not offered": tools.notOffered,
    requests: tools.requests,
    "paid twice": tools.paidTwice,
    doubled: tools.doubled.length,
    unrecorded: tools.unrecorded.length,
    restarted: tools.restarted.length,
    lost: verdict.lost.length,
    "run twice": verdict.runTwice.length,
    "out of order": verdict.outOfOrder.length,
    repeated: verdict.repeated.length,
    "marked repeats": verdict.markedRepeats,
    other: verdict.other.length,
    verdict: isAllKept(outcome) ? "kept" : "**broken**",
  };
}

export function toolTable(outcomes: readonly ToolOutcome[]): string {
  return tableOf(outcomes.map(toolCellsOf));
}

export function brokenToolPromises(outcome: ToolOutcome): string[] {
  const { doubled, unrecorded, restarted } = outcome.tools;
  const named = { doubled, unrecorded, restarted };
  return [...namedLines(outcome.evidence.platform, named), ...brokenPromises(outcome)];
}

export function toolSection(lines: readonly Line[], machine: string): string {
  return `${TOOLS_TITLE}

The same storm, but a scripted model answers, with up to three rounds of up to three calls for each message, and messages that
come during a turn are added to it. The tools are two built-in ones and those of two MCP servers, one on stdio and one on HTTP.
Of each pair, one may be repeated and one never is; a server outside of the gateway counts their effects by idempotency key. The
daemon dies once a round, mostly between the steps of a turn.

- *unknown*: calls that a crash interrupted and that can't be repeated; the model was told so
- *safe repeats*: effects of repeatable calls that came again, under the same key
- *not offered*: calls of MCP tools whose server took more than five seconds to start; recorded as failed, without an effect
- *paid twice*: model requests whose answer a crash cut off before it was recorded
- *doubled*: a call that can't be repeated had two effects
- *unrecorded*: a call without a record or without its end, or an unknown outcome that the model didn't learn
- *restarted*: a call that was made again, or a step that was asked for after a later one

${tableOf(lines)}

${machine}. Repeat a line with \`npm run chaos -- --tools --platform NAME --rounds N --seed S --write\`.
`;
}
