/** `npm run soak`: one gateway under steady load, and what it costs over time. See `--help`. */
import { setMaxListeners } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { percentile } from "../../bench/measure.js";
import { discord } from "../chaos/discord.js";
import type { Platform } from "../chaos/platform.js";
import { slack } from "../chaos/slack.js";
import { telegram } from "../chaos/telegram.js";
import { endAll } from "../support/at-end.js";
import { Daemon } from "../support/daemon.js";
import { until } from "../support/until.js";
import { People } from "./people.js";
import { sampleOf } from "./sample.js";
import { growth, headings, line, page, type Row } from "./table.js";

const RESULTS = new URL("../../bench/results-soak.md", import.meta.url);
const MINUTE_MS = 60_000;
const EVERY_MS = 2500;
const BROWSERS = 10;
const QUIET_MS = 60_000;

const HELP = `npm run soak -- [--minutes 30] [--no-write]

Runs the gateway on three emulated platforms and the web chat under steady load. Prints memory, handles, the size of
the WAL, the delay of the event loop and the time to an answer, every minute. After the load ends it waits a minute, so
that the last row shows what stays. Checks that every message was answered once.

--minutes    how long (default 30)
--no-write   leaves bench/results-soak.md as it is`;

const { values } = parseArgs({
  allowNegative: true,
  options: {
    minutes: { type: "string", default: "30" },
    write: { type: "boolean", default: true },
    help: { type: "boolean", short: "h", default: false },
  },
});

const minutes = Number(values.minutes);
if (values.help) {
  console.log(HELP);
} else if (!Number.isInteger(minutes) || minutes < 1) {
  console.error(HELP);
  process.exitCode = 2;
} else {
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => void endAll().then(() => process.exit(130)));
  try {
    await soak(minutes);
  } finally {
    await endAll();
  }
}

async function soak(length: number): Promise<void> {
  const platforms = await Promise.all([telegram(), discord(), slack()]);
  const daemon = await new Daemon({ yaml: configOf(platforms) }).start();
  const people = new People(platforms, () => daemon.url);
  const rows: Row[] = [];
  const over = new AbortController();
  // Everybody listens to it.
  setMaxListeners(0, over.signal);
  const take = async (minute: number) => {
    const { pid, url, home } = daemon;
    const latencies = people.takeLatencies();
    rows.push({
      ...(await sampleOf({ pid, url, stateDb: path.join(home, "state.db") }, minute)),
      sent: people.sent,
      answered: people.answered(),
      answerP50Ms: percentile(latencies, 50),
      answerP99Ms: percentile(latencies, 99),
    });
    console.log(line(rows.at(-1)!));
  };
  console.log(headings());
  const writing = people.write(EVERY_MS, BROWSERS, over.signal);
  for (let minute = 1; minute <= length; minute += 1) {
    await Promise.race([pause(MINUTE_MS), writing]);
    await take(minute);
  }
  over.abort();
  await writing;
  await until("everything is answered", () => people.answered() === people.sent, {
    timeoutMs: 120_000,
  }).catch(() => undefined);
  await pause(QUIET_MS);
  await take(length + 1);
  report(rows, people);
  await daemon.stop();
  await Promise.all(platforms.map((platform) => platform.close()));
}

function configOf(platforms: readonly Platform[]): string {
  return `
session_reset: {mode: none}
allow_all: true
platforms:
${platforms.map(({ config }) => `  ${config}`).join("\n")}
`;
}

function report(rows: readonly Row[], people: People): void {
  const { lost, repeated } = people.verdict();
  const rss = growth(rows, ({ rssMb }) => rssMb);
  const handles = growth(rows, (row) => row.handles);
  const verdict = [
    `${people.sent} messages: ${lost.length} lost, ${repeated.length} answered more than once.`,
    `RSS ${rss.early.toFixed(0)} → ${rss.late.toFixed(0)} MB, handles ${handles.early} → ${handles.late},`,
    `WAL at most ${Math.max(...rows.map(({ walMb }) => walMb)).toFixed(1)} MB, ${rows.at(-1)!.walMb.toFixed(1)} MB in the end.`,
  ].join(" ");
  console.log(verdict);
  const about = `${rows.length - 1} minutes, ${os.cpus().length} cores, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}; the last row is a minute after the load`;
  if (values.write) fs.writeFileSync(RESULTS, page(rows, about, verdict));
  if (lost.length + repeated.length > 0) process.exitCode = 1;
}
