import { Command } from "commander";
import type { FileLayout, Stats } from "../../store/store.js";
import { oneLine } from "../cells.js";
import { megabytes } from "../numbers.js";
import { withStore } from "../open.js";
import { jsonOption } from "../options.js";
import { print, printJson } from "../output.js";

type Shown = Stats & FileLayout;

const NOTHING: Shown = {
  sessions: 0,
  archived: 0,
  messages: 0,
  bySource: [],
  newestMessageAt: null,
  databaseBytes: 0,
  fullText: "none",
  schemaVersion: 0,
};

export function statsCommand(): Command {
  return new Command("stats")
    .description("Count sessions and messages, by source")
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const stats = await withStore<Shown>(
        async ({ reports, maintenance }) => ({
          ...(await reports.stats()),
          ...(await maintenance.layout()),
        }),
        () => NOTHING,
      );
      json ? printJson(statsJson(stats)) : print(drawStats(stats));
    });
}

export function drawStats({ sessions, messages, bySource, databaseBytes }: Stats): string {
  const sources = bySource.map(({ source, sessions: count }) => `  ${oneLine(source)}: ${count} sessions`);
  return [
    `Total sessions: ${sessions}`,
    `Total messages: ${messages}`,
    ...sources,
    `Database size: ${megabytes(databaseBytes)}`,
  ].join("\n");
}

function statsJson({ sessions, messages, bySource, databaseBytes, fullText, schemaVersion }: Shown): unknown {
  return {
    sessions,
    messages,
    by_source: bySource,
    database_bytes: databaseBytes,
    layout: fullText,
    schema_version: schemaVersion,
  };
}
