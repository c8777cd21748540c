import { createReadStream, rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { onEarlyExit } from "../../early-exit.js";
import type { OnProgress } from "../../store/store.js";
import { explained } from "../../whole-file.js";
import { fromCwd, io } from "../io.js";
import { counted } from "../numbers.js";
import { withNewStore } from "../open.js";
import { jsonOption } from "../options.js";
import { print, printJson } from "../output.js";
import { withProgress } from "../progress.js";
import { readSessions } from "./exported.js";

interface Imported {
  imported: number;
  skipped: number;
}

export function importCommand(): Command {
  return new Command("import")
    .description("Import sessions written by `export`; existing ones are skipped")
    .argument("<file>", "where from; - for the standard input")
    .addOption(jsonOption())
    .action(async (file: string, { json }: { json?: boolean }) => {
      const result = file === "-" ? await withStdinCopy(importFile) : await importFile(fromCwd(file));
      json ? printJson(result) : print(drawImported(result, file));
    });
}

function drawImported({ imported, skipped }: Imported, file: string): string {
  const from = file === "-" ? "" : ` from ${file}`;
  return `Imported ${counted(imported, "session")}${from}${skipped > 0 ? ` (${skipped} skipped: already there)` : ""}`;
}

/** Reads twice, so that an error in the last line is found before anything is written. */
async function importFile(file: string): Promise<Imported> {
  try {
    return await withProgress(async (onProgress) => {
      const total = await checkFile(file, onProgress);
      const sessions = reported(readSessions(createReadStream(file)), "Importing", total, onProgress);
      return await withNewStore((store) => store.importSessions(sessions));
    });
  } catch (error) {
    throw explained(error, file);
  }
}

async function checkFile(file: string, onProgress: OnProgress): Promise<number> {
  let sessions = 0;
  for await (const _ of reported(readSessions(createReadStream(file)), "Checking", 0, onProgress))
    sessions += 1;
  return sessions;
}

async function* reported<T>(items: AsyncIterable<T>, step: string, total: number, onProgress: OnProgress) {
  let done = 0;
  for await (const item of items) {
    yield item;
    onProgress({ step, done: ++done, total });
  }
}

/** A pipe can be read only once, so it goes through a private file. */
async function withStdinCopy<T>(work: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "hermes-import-"));
  const discard = () => rmSync(folder, { recursive: true, force: true });
  const forget = onEarlyExit(discard);
  try {
    const file = join(folder, "stdin.jsonl");
    await writeFile(file, io().stdin, { mode: 0o600 });
    return await work(file);
  } finally {
    forget();
    discard();
  }
}
