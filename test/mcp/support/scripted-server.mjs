/**
 * An MCP server over stdio that behaves as its arguments say:
 *   --silent         never answers initialize
 *   --deaf           ignores the end of its input and SIGTERM
 *   --child          starts a process of its own that ignores both, too
 *   --count FILE     adds a line to the file for each call of `count`
 *   --late FILE      answers initialize once the file exists
 *   --exit-at-start  ends before it answers
 *   --fail-if FILE   the same while the file exists
 *   --says TEXT      describes its tool `read` with these words
 */
import { spawn } from "node:child_process";
import fs from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const args = process.argv.slice(2);
const has = (flag) => args.includes(flag);
const following = (flag) => args[args.indexOf(flag) + 1];

if (has("--exit-at-start") || (has("--fail-if") && fs.existsSync(following("--fail-if")))) {
  process.stderr.write("I can't find my files\n");
  process.exit(3);
}
if (has("--child"))
  spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], {
    stdio: "ignore",
  });
if (has("--deaf")) {
  process.on("SIGTERM", () => undefined);
  setInterval(() => undefined, 1000);
}

const object = { type: "object", properties: {} };
const TOOLS = [
  {
    name: "read",
    description: has("--says") ? following("--says") : "Reads",
    inputSchema: object,
    annotations: { readOnlyHint: true },
  },
  { name: "write.it", description: "Writes", inputSchema: object },
  { name: "again", inputSchema: object, annotations: { idempotentHint: true } },
  { name: "count", inputSchema: object },
  { name: "big", inputSchema: object },
  { name: "hang", inputSchema: object },
  { name: "die", inputSchema: object },
  { name: "fail", inputSchema: object },
  { name: "env", inputSchema: object },
  { name: "change", inputSchema: object },
];
let tools = TOOLS;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (words) => ({ content: [{ type: "text", text: words }] });

const CALLS = {
  read: () => text("something"),
  "write.it": () => text("written"),
  again: () => text("again"),
  count: () => {
    fs.appendFileSync(following("--count"), "called\n");
    return text("counted");
  },
  big: ({ megabytes = 30 }) => text("x".repeat(megabytes * 1024 * 1024)),
  fail: () => ({ ...text("no such file"), isError: true }),
  env: () => text(JSON.stringify(process.env)),
  change: () => {
    tools = [...TOOLS, { name: "extra", inputSchema: object }];
    send({ method: "notifications/tools/list_changed" });
    return text("changed");
  },
};

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "scripted", version: "1" },
  }),
  "tools/list": () => ({ tools }),
  ping: () => ({}),
};

async function isTime() {
  while (!fs.existsSync(following("--late"))) await sleep(20);
}

const lines = createInterface(process.stdin);
lines.on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (has("--silent") || id === undefined) return;
  if (has("--late")) await isTime();
  if (method !== "tools/call") return send({ id, result: METHODS[method]?.(params) ?? {} });
  if (params.name === "die") process.exit(1);
  if (params.name === "hang") return;
  send({ id, result: CALLS[params.name](params.arguments ?? {}) });
});
