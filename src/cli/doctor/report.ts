/** The result of each check, in lines for people. */
import { describeError } from "../../errors.js";
import { type Finding, found } from "../../finding.js";
import { oneLine } from "../cells.js";
import { colors } from "../output.js";

export interface Check extends Finding {
  /** What was checked: "config", "disk", "telegram". */
  check: string;
}

export function named(check: string, findings: readonly Finding[]): Check[] {
  return findings.map((finding) => ({ check, ...finding }));
}

/** A check that throws is a finding, too. */
export async function look(
  check: string,
  work: () => Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>,
): Promise<Check[]> {
  try {
    const seen = await work();
    return named(check, [seen].flat());
  } catch (error) {
    return named(check, [failure(error)]);
  }
}

export function failure(error: unknown): Finding {
  const { message, hint } = describeError(error);
  return found.fail(message, hint);
}

export function drawCheck({ check, state, message, fix, page }: Check): string {
  const mark = { ok: colors.green("ok  "), warn: colors.yellow("warn"), fail: colors.red("fail") }[state];
  const lines = message.split("\n").map(oneLine).join("\n        ");
  const advice = [fix, page].filter((part) => part !== undefined).map(oneLine);
  return `${mark}  ${check}: ${lines}${advice.length > 0 ? `\n      → ${advice.join(" ")}` : ""}`;
}
