/** `hermes adopt`: takes over a home that Hermes Agent has used, after showing what would change. */

import { stat } from "node:fs/promises";
import { Command } from "commander";
import { resolveHome } from "../../config/paths.js";
import { HermesError } from "../../errors.js";
import { ifMissing } from "../../missing.js";
import { confirmed } from "../ask.js";
import { io } from "../io.js";
import { jsonOption, yesOption } from "../options.js";
import { print, printJson } from "../output.js";
import { withProgress } from "../progress.js";
import { carryOut } from "./carry-out.js";
import { drawAdopted, drawPlan } from "./draw.js";
import { lookAtHome } from "./look.js";
import { type Plan, planOf } from "./plan.js";

interface AdoptOptions {
  check?: boolean;
  deep?: boolean;
  yes?: boolean;
  json?: boolean;
}

export function adoptCommand(): Command {
  return new Command("adopt")
    .description("Take over a home that Hermes Agent has used; --check only shows the changes")
    .option("--check", "only show what would change")
    .option("--deep", "check the whole database, even a large one")
    .addOption(yesOption())
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action(adopt);
}

const HELP = `
First reports on state.db (of any version), sessions.json, the pairing files, transcripts, config.yaml, .env and their
permissions. Then, if you agree, an older state.db is copied and migrated, chats continue in their sessions, people whom
Hermes Agent has paired may talk, and only the owner can read the files. A second run finds nothing left to do.
Exit code 1 if something blocks the adoption.`;

async function adopt(options: AdoptOptions): Promise<void> {
  const home = resolveHome(io().env);
  await requireHome(home);
  const look = await lookAtHome(home, { deep: options.deep ?? false });
  const plan = planOf(look);
  if (plan.verdict === "blocked") io().exitCode = 1;
  if (!options.json) print([drawPlan(plan), ...ending(plan, options.check ?? false)].join("\n"));
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
  if ((await stat(home).catch(ifMissing(undefined)))?.isDirectory()) return;
  throw new HermesError("not_found", `There is no home at ${home}.`, {
    hint: "Name another with --home DIR or HERMES_HOME. A new home needs no adoption: `hermes gateway` creates it.",
  });
}

function ending({ verdict }: Plan, isCheck: boolean): string[] {
  if (verdict === "blocked")
    return ["", "Not yet: fix everything marked fail, then run `hermes adopt --check` again."];
  if (verdict === "nothing to do")
    return ["", "Nothing to do: this home already belongs to the gateway. `hermes gateway` starts it."];
  return isCheck ? ["", "Ready. Nothing was changed yet; run `hermes adopt` to adopt the home."] : [];
}
