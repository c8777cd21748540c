/** The result of each check, in lines for people. */
import { describeError } from "../../errors.js";
import { type Finding, found } from "../../finding.js";
import { oneLine } from "../cells.js";
import { hanging } from "../fit.js";
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
  const name = `${check}: `;
  const [first = "", ...more] = message.split("\n").map(oneLine);
  const advice = [fix, page].filter((part) => part !== undefined).map(oneLine);
  const lines = [
    `${mark}  ${name}${hanging(first, 6, 6 + name.length)}`,
    ...more.map((line) => `        ${hanging(line, 8)}`),
    ...(advice.length > 0 ? [`      → ${hanging(advice.join(" "), 8)}`] : []),
  ];
  return lines.join("\n");
}
