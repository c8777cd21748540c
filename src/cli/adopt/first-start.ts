/** `hermes gateway` on a home of another Hermes program: reports what it found, and adopts the home only if asked to. */

import { existsSync } from "node:fs";
import { type Env, homePaths } from "../../config/paths.js";
import { HermesError } from "../../errors.js";
import { isForeignFile } from "../../store/files.js";
import { printError } from "../output.js";
import { withProgress } from "../progress.js";

/** For containers, which are configured by environment. */
export function wantsAdoption(options: { adopt?: boolean }, env: Env): boolean {
  return options.adopt ?? /^(?:1|true|yes)$/i.test(env.HERMES_ADOPT ?? "");
}

export async function adoptBeforeStart(home: string, wanted: boolean): Promise<void> {
  if (!(await isForeignHome(home))) return;
  const { lookAtHome } = await import("./look.js");
  const { planOf } = await import("./plan.js");
  const { drawAdopted, drawPlan } = await import("./draw.js");
  const look = await lookAtHome(home, { deep: false });
  const plan = planOf(look);
  printError(`Another Hermes program has used ${home}. This is what was found:\n`);
  printError(drawPlan(plan));
  if (!wanted) {
    throw new HermesError("conflict", "The gateway did not start, and nothing was changed.", {
      hint: "Adopt the home with `hermes adopt` or `hermes gateway --adopt` (HERMES_ADOPT=1), or use another one with --home DIR.",
    });
  }
  if (plan.verdict === "blocked") {
    throw new HermesError("conflict", "The home can't be adopted yet, and nothing was changed.", {
      hint: "Fix everything marked fail, then start again.",
    });
  }
  const { carryOut } = await import("./carry-out.js");
  printError(drawAdopted(await withProgress((onProgress) => carryOut(look, plan, onProgress))));
}

async function isForeignHome(home: string): Promise<boolean> {
  const { stateDb } = homePaths(home);
  if (!existsSync(stateDb)) return false;
  try {
    return await isForeignFile(stateDb);
  } catch {
    // Damaged or another program's file: opening it reports that.
    return false;
  }
}
