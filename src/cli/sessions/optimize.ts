import { Command } from "commander";
import type { Optimized } from "../../store/store.js";
import { megabytes } from "../numbers.js";
import { noDatabase, withStore } from "../open.js";
import { jsonOption } from "../options.js";
import { print, printJson } from "../output.js";
import { withProgress } from "../progress.js";

export function optimizeCommand(): Command {
  return new Command("optimize")
    .description("Make the database smaller and search faster, while others keep using it")
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const done = await withStore(
        (store) => withProgress((onProgress) => store.maintenance.optimize(onProgress)),
        noDatabase,
      );
      json ? printJson(optimizedJson(done)) : print(drawOptimized(done));
    });
}

export function drawOptimized({ bytesBefore, bytesAfter, converted, note }: Optimized): string {
  const lines = [`Database size: ${megabytes(bytesBefore)} → ${megabytes(bytesAfter)}`];
  if (converted) lines.push("The full-text index now has the compact layout.");
  if (note) lines.push(note);
  return lines.join("\n");
}

function optimizedJson({ bytesBefore, bytesAfter, converted, note }: Optimized): unknown {
  return { bytes_before: bytesBefore, bytes_after: bytesAfter, converted, note: note ?? null };
}
