import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Database } from "../src/store/sqlite/driver.js";
import type { BenchOptions } from "./run.js";
import { withScratch } from "./scratch.js";
import { keepSection } from "./sections.js";
import { benchAppends } from "./store/appends.js";
import { benchConversation } from "./store/conversation.js";
import { fillBoth } from "./store/fill.js";
import { benchGrowth } from "./store/growth.js";
import { benchLists } from "./store/lists.js";
import { benchLocks } from "./store/locks.js";
import { benchLoop } from "./store/loop.js";
import { FULL, QUICK, type Scene } from "./store/scene.js";
import { benchNewestGrown, benchSearch } from "./store/search.js";
import { benchWriters } from "./store/writers.js";
import { markdown, type Row, withPrevious } from "./table.js";

const RESULTS = new URL("./results.md", import.meta.url);

/** Runs everything on one pair of files, in the order of a file's life: fill, read, write, maintain, grow. */
export async function bench({ quick, write }: BenchOptions): Promise<void> {
  const started = performance.now();
  const load = os.loadavg()[0]!;
  const rows = await withScratch(async (folder) => {
    const scene: Scene = { folder, sizes: quick ? QUICK : FULL, rows: [], say: progress(started) };
    await measureAll(scene);
    return withPrevious(scene.rows, fs.readFileSync(RESULTS, "utf8"));
  });
  const report = describe(rows, quick, { seconds: (performance.now() - started) / 1000, load });
  console.log(report);
  if (write) keepSection(RESULTS, report);
}

async function measureAll(scene: Scene): Promise<void> {
  const pair = await fillBoth(scene);
  await benchSearch(scene, pair);
  await benchLists(scene, pair);
  await benchConversation(scene, pair);
  await benchAppends(scene, pair);
  await benchLoop(scene, pair);
  await benchWriters(scene, pair);
  await benchLocks(scene, pair);
  await benchGrowth(scene, pair);
  await benchNewestGrown(scene, pair);
  await pair.store.close();
}

const progress = (started: number) => (text: string) =>
  process.stderr.write(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}\n`);

interface Conditions {
  seconds: number;
  /** The machine's load average before the run. */
  load: number;
}

function describe(rows: readonly Row[], quick: boolean, { seconds, load }: Conditions): string {
  const sizes = quick ? QUICK : FULL;
  const count = (n: number) => n.toLocaleString("en");
  return `# Bench: the store

${quick ? "**A quick run at a tenth of the size: a functional check, not a measurement.**\n\n" : ""}\
A generated history of ${count(sizes.sessions)} sessions and ${count(sizes.messages)} messages, compared with *plain*: bare better-sqlite3, v11's inline
schema, one transaction per message, \`synchronous=FULL\`. Both in one run, alternating. A ratio is how many times faster
ours is; for sizes, the size relative to plain. Times are p50 / p95 through the store, including the thread hop. *Before*
is the last saved figure, for rows without a baseline.

${markdown(rows)}

${machine()}, load ${load.toFixed(1)} before the run; ${seconds.toFixed(0)} s. Repeat with \`npm run bench -- store --write\`.
`;
}

function machine(): string {
  const memory = new Database(":memory:");
  const sqlite = memory.prepare("SELECT sqlite_version()").pluck().get();
  memory.close();
  const cpu = os.cpus()[0]?.model.trim() ?? path.basename(process.execPath);
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, ${os.cpus().length} cores (${cpu}), ${os.type()}, Node ${process.version}, SQLite ${sqlite}`;
}
