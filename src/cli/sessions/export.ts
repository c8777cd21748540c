import { Command } from "commander";
import { jsonLine } from "../../json-line.js";
import type { ExportedSession, ExportQuery, OnProgress, Store } from "../../store/store.js";
import { type Write, writeWhole } from "../../whole-file.js";
import { fromCwd } from "../io.js";
import { counted } from "../numbers.js";
import { withStore } from "../open.js";
import { given, jsonOption, sourceOption } from "../options.js";
import { print, printJson, writeOut } from "../output.js";
import { withProgress } from "../progress.js";
import { requireSession } from "./reference.js";

interface ExportOptions {
  source?: string;
  sessionId?: string;
  json?: boolean;
}

const STDOUT = "-";

export function exportCommand(): Command {
  return new Command("export")
    .description("Write sessions with their messages as JSON lines")
    .argument("<file>", "where to; - for the standard output")
    .addOption(sourceOption())
    .option("--session-id <session>", "only this one: id, id prefix or title")
    .addOption(jsonOption())
    .action(exportTo);
}

async function exportTo(file: string, options: ExportOptions): Promise<void> {
  if (file === STDOUT) {
    await exportWith(writeOut, options);
    return;
  }
  const exported = await writeWhole(fromCwd(file), (write) => exportWith(write, options));
  options.json ? printJson({ exported, file }) : print(`Exported ${counted(exported, "session")} to ${file}`);
}

function exportWith(write: Write, options: ExportOptions): Promise<number> {
  return withStore(
    async (store) => {
      const query = await exportQuery(store, options);
      const sessions = store.exportSessions(query);
      const total = await sessions.total();
      return withProgress((onProgress) => writeSessions(sessions, write, total, onProgress));
    },
    () => 0,
  );
}

async function exportQuery(store: Store, { source, sessionId }: ExportOptions): Promise<ExportQuery> {
  const session = sessionId === undefined ? undefined : await requireSession(store, sessionId);
  return given<ExportQuery>({ source, sessionId: session?.id });
}

async function writeSessions(
  sessions: AsyncIterable<ExportedSession>,
  write: Write,
  total: number,
  onProgress: OnProgress,
): Promise<number> {
  let done = 0;
  for await (const session of sessions) {
    await write(`${jsonLine(session)}\n`);
    onProgress({ step: "Exporting", done: ++done, total: Math.max(total, done) });
  }
  return done;
}
