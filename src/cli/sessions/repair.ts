import { Command } from "commander";
import type { CheckReport, OnProgress, RepairReport, Store } from "../../store/store.js";
import { io } from "../io.js";
import { noDatabase, transcripts, withStore } from "../open.js";
import { jsonOption } from "../options.js";
import { print, printJson } from "../output.js";
import { withProgress } from "../progress.js";

interface RepairOptions {
  checkOnly?: boolean;
  json?: boolean;
}

export function repairCommand(): Command {
  return new Command("repair")
    .description("Check the database and rebuild derived data; always keeps a copy")
    .option("--check-only", "only check; exit code 1 if something is wrong")
    .addOption(jsonOption())
    .action(repair);
}

async function repair({ checkOnly, json }: RepairOptions): Promise<void> {
  const report = await withStore<CheckReport | RepairReport>(
    (store) =>
      withProgress((onProgress) =>
        checkOnly ? store.maintenance.check(onProgress) : mend(store, onProgress),
      ),
    noDatabase,
  );
  json ? printJson(report) : print(drawReport(report));
  if (!report.ok) io().exitCode = 1;
}

/** The transcripts are derived as well. */
async function mend(store: Store, onProgress: OnProgress): Promise<RepairReport> {
  const report = await store.maintenance.repair(onProgress);
  await (await transcripts()).rebuildAll(store, onProgress);
  return { ...report, repaired: [...report.repaired, "transcripts"] };
}

export function drawReport(report: CheckReport | RepairReport): string {
  const lines = report.problems.map((problem) => `problem: ${problem}`);
  if ("copy" in report) {
    lines.push(...report.repaired.map((what) => `repaired: ${what}`), `A copy is kept at ${report.copy}`);
  }
  lines.push(report.ok ? "The database is intact." : "The database has problems.");
  return lines.join("\n");
}
