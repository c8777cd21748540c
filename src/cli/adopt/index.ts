/** `hermes adopt`: takes over a home that Hermes Agent has used, after saying what would change. */
import { stat } from "node:fs/promises";
import { Command } from "commander";
import { resolveHome } from "../../config/paths.js";
import { HermesError } from "../../errors.js";
import { confirmed } from "../ask.js";
import { oneLine } from "../cells.js";
import { drawCheck } from "../doctor/report.js";
import { counted } from "../numbers.js";
import { jsonOption, yesOption } from "../options.js";
import { colors, print, printJson } from "../output.js";
import { withProgress } from "../progress.js";
import { type Adopted, carryOut } from "./carry-out.js";
import { lookAtHome } from "./look.js";
import { type Plan, peopleCount, planOf } from "./plan.js";

interface AdoptOptions {
  check?: boolean;
  deep?: boolean;
  yes?: boolean;
  json?: boolean;
}

export function adoptCommand(): Command {
  return new Command("adopt")
    .description("Take over a home that Hermes Agent has used; --check only says what would change")
    .option("--check", "say what would change, and change nothing")
    .option("--deep", "read the whole database, however large it is")
    .addOption(yesOption())
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action(adopt);
}

const HELP = `
Looks at state.db (of any version), sessions.json, the pairing files, transcripts, config.yaml, .env and who can read them.
Then, once you agree: an older state.db is migrated after a copy was kept, chats go on in their sessions, people whom
Hermes Agent has paired are let in, and files become their owner's alone. Run again, it finds nothing left to do.
Exit code 1 where something stands in the way.`;

async function adopt(options: AdoptOptions): Promise<void> {
  const home = resolveHome(process.env);
  await requireHome(home);
  const look = await lookAtHome(home, { deep: options.deep ?? false });
  const plan = planOf(look);
  if (plan.verdict === "blocked") process.exitCode = 1;
  if (!options.json) print(draw(plan, options.check ?? false));
  if (options.check || plan.verdict !== "ready") {
    if (options.json) printJson({ home, ...report(plan) });
    return;
  }
  if (!(await confirmed(`Adopt ${home}?`, options))) return;
  const adopted = await withProgress((onProgress) => carryOut(look, plan, onProgress));
  if (options.json) printJson({ home, ...report(plan), adopted });
  else print(drawAdopted(adopted));
}

function report({ verdict, checks, changes }: Plan) {
  return { verdict, findings: checks, changes };
}

async function requireHome(home: string): Promise<void> {
  if ((await stat(home).catch(() => undefined))?.isDirectory()) return;
  throw new HermesError("not_found", `There is no home at ${home}.`, {
    hint: "Name another with --home DIR or HERMES_HOME. A new one needs no adoption: `hermes gateway` makes it.",
  });
}

function draw({ checks, changes, verdict }: Plan, isCheck: boolean): string {
  const steps = changes.map(({ message }, i) => {
    const [first, ...more] = message.split("\n").map(oneLine);
    return [`${String(i + 1).padStart(3)}. ${first}`, ...more.map((line) => `       ${line}`)].join("\n");
  });
  const end = {
    blocked: "Not yet: mend what says fail, and look again with `hermes adopt --check`.",
    ready: isCheck ? "Ready. Nothing was changed; `hermes adopt` does it." : "",
    "nothing to do": "Nothing to do: this home is the gateway's. `hermes gateway` starts it.",
  }[verdict];
  return [
    ...checks.map(drawCheck),
    ...(steps.length > 0 ? ["", colors.bold("What would change"), ...steps] : []),
    ...(end === "" ? [] : ["", end]),
  ].join("\n");
}

function drawAdopted({ kept, chats, people, tightened, problems }: Adopted): string {
  return [
    "",
    `Adopted: ${counted(chats, "chat")} taken over, ${peopleCount(people)} let in, ${counted(tightened, "path")} closed to others.`,
    ...kept.map((path) => `Kept: ${path}`),
    ...problems.map((problem) => `${colors.yellow("warn")}  ${oneLine(problem)}`),
    "`hermes doctor` looks at the rest, `hermes gateway` starts it.",
  ].join("\n");
}
