/** The thread that writes files of the sessions folder: calls in, replies out. */
import fs from "node:fs";
import { dirname } from "node:path";
import { parentPort } from "node:worker_threads";
import type { RouteRow } from "../store/queues.js";
import { withRoutes } from "../store/sqlite/route-snapshot.js";
import type { Call, FileVerbs, Reply } from "./files-thread.js";
import {
  indexParts,
  keepAside,
  readIndex,
  removeAbandoned,
  renderEntry,
  replaceFile,
  TEMPORARY_INDEX,
} from "./index-file.js";
import { zoneOfMachine } from "./index-stamp.js";

const NEWLINE = 0x0a;
const ENTRIES_AT_ONCE = 500;

const verbs: { [V in keyof FileVerbs]: (args: FileVerbs[V]["takes"]) => Promise<FileVerbs[V]["gives"]> } = {
  async append({ path, first, text }) {
    const file = openForAppend(path);
    try {
      fs.writeFileSync(file, beginning(file, first) + text);
    } finally {
      fs.closeSync(file);
    }
    return undefined;
  },

  async writeIndex({ path, stateDb, except }) {
    await removeAbandonedOnce(dirname(path));
    return withRoutes({ path: stateDb, except }, async ({ routes, count, changedAt }) => {
      const busy = { ms: 0 };
      const parts = timed(indexParts(rendered(routes)), busy);
      const stamp = await replaceFile(path, parts, TEMPORARY_INDEX);
      return { busyMs: busy.ms, written: { ...stamp, zone: zoneOfMachine(), routes: count, changedAt } };
    });
  },

  async setAsideIfCorrupt({ path }) {
    const index = await readIndex(path);
    if (index === "missing" || !("corrupt" in index)) return undefined;
    return { reason: index.corrupt, aside: await keepAside(path) };
  },
};

function openForAppend(path: string): number {
  try {
    return fs.openSync(path, "a+", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return fs.openSync(path, "a+", 0o600);
  }
}

/** What must stand before the next line: the file's first, or the end of one that a crash cut off. */
function beginning(file: number, first: string): string {
  const { size } = fs.fstatSync(file);
  if (size === 0) return first;
  const last = Buffer.alloc(1);
  fs.readSync(file, last, 0, 1, size - 1);
  return last[0] === NEWLINE ? "" : "\n";
}

let tidied = false;

async function removeAbandonedOnce(folder: string): Promise<void> {
  if (!tidied) await removeAbandoned(folder);
  tidied = true;
}

/** Some entries at a time, so that whatever else is asked of this thread doesn't wait for all of them. */
function* rendered(routes: Iterable<RouteRow>): Generator<string[]> {
  let entries: string[] = [];
  for (const route of routes) {
    if (entries.push(renderEntry(route)) < ENTRIES_AT_ONCE) continue;
    yield entries;
    entries = [];
  }
  yield entries;
}

/** How long it took to make the parts and hand them to the disk, without the wait until they are on it. */
function* timed<T>(parts: Iterable<T>, busy: { ms: number }): Generator<T> {
  const begin = performance.now();
  yield* parts;
  busy.ms = performance.now() - begin;
}

async function answer({ id, verb, args }: Call): Promise<Reply> {
  try {
    return { id, value: await (verbs[verb] as (args: unknown) => Promise<unknown>)(args) };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { id, error: code === undefined ? { message } : { message, code } };
  }
}

const port = parentPort!;
port.on("message", (call: Call) => void answer(call).then((reply) => port.postMessage(reply)));
