import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Clients, type Load, type Target } from "./http/load.js";
import { median } from "./measure.js";
import type { BenchOptions } from "./run.js";
import { withScratch } from "./scratch.js";
import { nextMessage, startChild } from "./store/child.js";
import { markdown, type Row } from "./table.js";

const RESULTS = new URL("./results-http.md", import.meta.url);
const KEY = "bench-key";
const ROUNDS = 5;
const WARM_UP = 10_000;

/**
 * The cost of a request to `/v1/chat/completions` (authentication, durable storage, a session, an echo turn, an answer
 * from the outbox), compared with a bare route of the same server that returns the same body. Alternately, in one run.
 */
export async function bench({ quick, write }: BenchOptions): Promise<void> {
  const report = await withScratch(async (folder) => describe(await measure(folder, quick ? 0.1 : 1)));
  console.log(report);
  if (write) fs.writeFileSync(RESULTS, report);
}

async function measure(home: string, scale: number): Promise<Row[]> {
  fs.chmodSync(home, 0o700);
  fs.writeFileSync(path.join(home, "config.yaml"), CONFIG);
  const server = startChild(new URL("./http/server-process.ts", import.meta.url), [home]);
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const url = await nextMessage<string>(server);
  const rows: Row[] = [];
  for (const clients of [1, 16, 64]) {
    rows.push(...(await compare(url, clients, Math.round(600 * scale))));
  }
  server.send("stop");
  await ended;
  return rows;
}

const CONFIG = `
http: {rate_limit: 0}
session_reset: {mode: none}
max_concurrent_sessions: 0
platforms: {api_server: {api_key: ${KEY}, rate_limit: 0}}
`;

const body = JSON.stringify({
  model: "hermes",
  messages: [{ role: "user", content: "How is the weather in the mountains today?" }],
});
const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
const OURS: Target = { path: "/v1/chat/completions", headers, body };
const BARE: Target = { path: "/bare", headers, body };

async function compare(url: string, count: number, requests: number): Promise<Row[]> {
  const clients = new Clients(url, count);
  try {
    const answer = await clients.ask(OURS);
    await fetch(`${url}/bare`, { method: "PUT", body: answer, headers });
    if ((await clients.ask(BARE)) !== answer) throw new Error("The two routes return different answers");
    // Node compiles the code that is used most in the first thousands of requests. A daemon runs for weeks.
    for (const target of [OURS, BARE]) await clients.run(target, WARM_UP * (requests / 600));
    const [ours, bare]: [Load[], Load[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      ours.push(await clients.run(OURS, requests));
      bare.push(await clients.run(BARE, requests));
    }
    return rowsOf(count, middle(ours), middle(bare));
  } finally {
    await clients.close();
  }
}

function middle(loads: readonly Load[]): Load {
  const of = (pick: (load: Load) => number) => median(loads.map(pick));
  return { perSecond: of((l) => l.perSecond), p50: of((l) => l.p50), p99: of((l) => l.p99) };
}

function rowsOf(count: number, ours: Load, bare: Load): Row[] {
  const who = count === 1 ? "one client" : `${count} clients at once`;
  return [
    {
      ratio: ours.perSecond / bare.perSecond,
      what: `requests a second, ${who}`,
      ours: ours.perSecond.toFixed(0),
      plain: bare.perSecond.toFixed(0),
    },
    {
      ratio: ours.p99 / bare.p99,
      what: `p99 (p50), ${who}`,
      ours: `${ours.p99.toFixed(1)} (${ours.p50.toFixed(1)}) ms`,
      plain: `${bare.p99.toFixed(1)} (${bare.p50.toFixed(1)}) ms`,
    },
  ];
}

function describe(rows: readonly Row[]): string {
  return `# Bench: HTTP

\`POST /v1/chat/completions\` with the echo agent, each request in a new session, every step durable, compared with *plain*: a
bare route of the same server that reads the body and returns the same answer. Medians of ${ROUNDS} rounds each, alternating.

${markdown(rows)}

${os.cpus().length} cores shared with the clients, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}. Repeat with \`npm run bench -- http --write\`.
`;
}
