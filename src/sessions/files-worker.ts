/** Worker thread that writes the files of the sessions folder. */
import fs from "node:fs";
import { dirname } from "node:path";
import { parentPort } from "node:worker_threads";
import type { RouteRow } from "../store/queues.js";
import { withRoutes } from "../store/route-snapshot.js";
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
const BATCH_ENTRIES = 500;

const verbs: { [V in keyof FileVerbs]: (args: FileVerbs[V]["args"]) => Promise<FileVerbs[V]["returns"]> } = {
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

/** Text to write before the next line: the first line of a new file, or a line break after a line cut off by a crash. */
function beginning(file: number, first: string): string {
  const { size } = fs.fstatSync(file);
  if (size === 0) return first;
  const last = Buffer.alloc(1);
  fs.readSync(file, last, 0, 1, size - 1);
  return last[0] === NEWLINE ? "" : "\n";
}

let isCleaned = false;

async function removeAbandonedOnce(folder: string): Promise<void> {
  if (!isCleaned) await removeAbandoned(folder);
  isCleaned = true;
}

/** In batches, so other calls to this thread don't wait for all entries. */
function* rendered(routes: Iterable<RouteRow>): Generator<string[]> {
  let entries: string[] = [];
  for (const route of routes) {
    if (entries.push(renderEntry(route)) < BATCH_ENTRIES) continue;
    yield entries;
    entries = [];
  }
  yield entries;
}

/** Measures rendering and writing the parts, without the final sync. */
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
let replies: Reply[] = [];

/** Replies of one moment travel together. */
function send(reply: Reply): void {
  if (replies.push(reply) > 1) return;
  setImmediate(() => {
    port.postMessage(replies);
    replies = [];
  });
}

port.on("message", (calls: Call[]) => {
  for (const call of calls) void answer(call).then(send);
});
