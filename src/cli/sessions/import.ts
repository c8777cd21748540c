import { createReadStream, rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import type { SessionId } from "../../session.js";
import type { ExportedSession, OnProgress, Store } from "../../store/store.js";
import { onEarlyExit } from "../exits.js";
import { explained } from "../files.js";
import { withNewStore } from "../open.js";
import { jsonOption } from "../options.js";
import { print, printJson } from "../output.js";
import { withProgress } from "../progress.js";
import { counted } from "./export.js";
import { parentsFirst, readSessions } from "./exported.js";

/** Small enough that a gateway beside us doesn't notice the write. */
const BATCH_MESSAGES = 500;

interface Imported {
  imported: number;
  skipped: number;
}

export function importCommand(): Command {
  return new Command("import")
    .description("Read sessions that `export` wrote; those that exist already are left alone")
    .argument("<file>", "where from; - for the standard input")
    .addOption(jsonOption())
    .action(async (file: string, { json }: { json?: boolean }) => {
      const result = file === "-" ? await withStdinCopy(importFile) : await importFile(file);
      json ? printJson(result) : print(drawImported(result, file));
    });
}

function drawImported({ imported, skipped }: Imported, file: string): string {
  const from = file === "-" ? "" : ` from ${file}`;
  return `Imported ${counted(imported)}${from}${skipped > 0 ? ` (${skipped} skipped: already there)` : ""}`;
}

/** Reads twice: a fault in the last line must show before the first one is written. */
async function importFile(file: string): Promise<Imported> {
  try {
    return await withProgress(async (onProgress) => {
      const ids = await checkFile(file, onProgress);
      return await withNewStore((store) => importAll(store, file, ids, onProgress));
    });
  } catch (error) {
    throw explained(error, file);
  }
}

async function checkFile(file: string, onProgress: OnProgress): Promise<Set<SessionId>> {
  const ids = new Set<SessionId>();
  for await (const { id } of readSessions(createReadStream(file))) {
    onProgress({ step: "Checking", done: ids.add(id).size, total: 0 });
  }
  return ids;
}

async function importAll(
  store: Store,
  file: string,
  ids: ReadonlySet<SessionId>,
  onProgress: OnProgress,
): Promise<Imported> {
  const sum: Imported = { imported: 0, skipped: 0 };
  for await (const batch of batches(parentsFirst(readSessions(createReadStream(file)), ids))) {
    const { imported, skipped } = await store.importSessions(batch);
    sum.imported += imported;
    sum.skipped += skipped;
    onProgress({ step: "Importing", done: sum.imported + sum.skipped, total: ids.size });
  }
  return sum;
}

async function* batches(sessions: AsyncIterable<ExportedSession>): AsyncGenerator<ExportedSession[]> {
  let batch: ExportedSession[] = [];
  let messages = 0;
  for await (const session of sessions) {
    batch.push(session);
    messages += session.messages.length;
    if (messages < BATCH_MESSAGES) continue;
    yield batch;
    batch = [];
    messages = 0;
  }
  if (batch.length > 0) yield batch;
}

/** A pipe can be read only once, so it goes through a private file. */
async function withStdinCopy<T>(work: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "hermes-import-"));
  const discard = () => rmSync(folder, { recursive: true, force: true });
  const forget = onEarlyExit(discard);
  try {
    const file = join(folder, "stdin.jsonl");
    await writeFile(file, process.stdin, { mode: 0o600 });
    return await work(file);
  } finally {
    forget();
    discard();
  }
}
