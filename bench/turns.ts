import fs from "node:fs";
import os from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { percentile, timed } from "./measure.js";
import type { BenchOptions } from "./run.js";
import { markdown, type Row } from "./table.js";
import { perSecondAtOnce } from "./turns/at-once.js";
import { bareLoop, type EchoLoop, gatewayLoop } from "./turns/loops.js";

const RESULTS = new URL("./results-turns.md", import.meta.url);

/**
 * The cost of a turn without the agent: accept → route → session → echo → outbox → send, every step durable, compared
 * with a loop of the same adapter and agent without storage.
 */
export async function bench({ quick, write }: BenchOptions): Promise<void> {
  const scale = quick ? 0.1 : 1;
  const rows: Row[] = [];
  for (const sessions of [1, 100, 1000]) {
    const messages = Math.round((sessions === 1 ? 500 : 3000) * scale);
    const ours = await measured(await gatewayLoop(), sessions, messages);
    const bare = await measured(bareLoop(), sessions, messages * 10);
    rows.push({
      ratio: ours.perSecond / bare.perSecond,
      what: `turns a second, ${sessions} session${sessions === 1 ? "" : "s"}`,
      ours: ours.perSecond.toFixed(0),
      plain: bare.perSecond.toFixed(0),
    });
    rows.push({
      ratio: ours.p50 / bare.p50,
      what: `accept to send, ${sessions} session${sessions === 1 ? "" : "s"}, p50 / p99`,
      ours: `${ours.p50.toFixed(2)} / ${ours.p99.toFixed(2)} ms`,
      plain: `${bare.p50.toFixed(3)} / ${bare.p99.toFixed(3)} ms`,
    });
  }
  rows.push(await memoryRow(Math.round(10_000 * scale)));
  const report = describe(rows);
  console.log(report);
  if (write) fs.writeFileSync(RESULTS, report);
}

function describe(rows: readonly Row[]): string {
  return `# Bench: turns

A turn of the echo agent through the whole gateway, every step durable, compared with *plain*: the same adapter and
agent in a loop without storage. Both in one run.

${markdown(rows)}

${os.cpus().length} cores, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}. Repeat with \`npm run bench -- turns --write\`.
`;
}

interface Figures {
  perSecond: number;
  p50: number;
  p99: number;
}

/** Latency with one message in flight per session, up to 16; throughput with all sessions at once. */
async function measured(loop: EchoLoop, sessions: number, messages: number): Promise<Figures> {
  try {
    for (let i = 0; i < Math.min(sessions, 50); i += 1) await loop.say(i % sessions);
    const times: number[] = [];
    const probes = Math.min(messages, 300);
    for (let i = 0; i < probes; i += 1) times.push(await timed(() => loop.say(i % sessions)));
    const perSecond = await perSecondAtOnce(loop, { sessions, messages });
    return { perSecond, p50: percentile(times, 50), p99: percentile(times, 99) };
  } finally {
    await loop.close();
  }
}

/** Idle sessions should cost almost nothing: their state is in the database. */
async function memoryRow(sessions: number): Promise<Row> {
  const loop = await gatewayLoop();
  try {
    await loop.say(0);
    const before = await settledRss();
    let next = 1;
    const worker = async () => {
      while (next < sessions) await loop.say(next++);
    };
    await Promise.all(Array.from({ length: 128 }, worker));
    const grown = (await settledRss()) - before;
    return {
      what: `memory for ${sessions.toLocaleString("en")} sessions`,
      ours: `${(grown / 1048576).toFixed(0)} MB`,
    };
  } finally {
    await loop.close();
  }
}

async function settledRss(): Promise<number> {
  globalThis.gc?.();
  await pause(500);
  globalThis.gc?.();
  return process.memoryUsage.rss();
}
