/** What adopting a home would do, and what it did, for people. */
import { oneLine } from "../cells.js";
import { drawCheck } from "../doctor/report.js";
import { counted } from "../numbers.js";
import { colors } from "../output.js";
import type { Adopted } from "./carry-out.js";
import { type Plan, peopleCount } from "./plan.js";

export function drawPlan({ checks, changes }: Plan): string {
  const steps = changes.map(({ message }, i) => {
    const [first, ...more] = message.split("\n").map(oneLine);
    return [`${String(i + 1).padStart(3)}. ${first}`, ...more.map((line) => `       ${line}`)].join("\n");
  });
  return [
    ...checks.map(drawCheck),
    ...(steps.length > 0 ? ["", colors.bold("What would change"), ...steps] : []),
  ].join("\n");
}

export function drawAdopted({ kept, chats, people, tightened, problems }: Adopted): string {
  return [
    "",
    `Adopted: ${counted(chats, "chat")} adopted, ${peopleCount(people)} approved, ${counted(tightened, "path")} made private.`,
    ...kept.map((path) => `Kept: ${path}`),
    ...problems.map((problem) => `${colors.yellow("warn")}  ${oneLine(problem)}`),
    "`hermes doctor` checks the rest, `hermes gateway` starts it.",
  ].join("\n");
}
