/**
 * `counting-server.mjs NAME [--http]`: an MCP server with two tools whose effects are counted on the server at COUNT_URL, by
 * the idempotency key that comes with a call: `note` may be repeated, `post` never is. On stdio, or on HTTP; then it prints
 * its address.
 */
import http from "node:http";
import { createInterface } from "node:readline";

const { COUNT_URL } = process.env;
const [name] = process.argv.slice(2);
const KEY = "hermes-gateway/idempotency-key";

const inputSchema = {
  type: "object",
  properties: { token: { type: "string" }, call: { type: "number" } },
};

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name, version: "1" },
  }),
  ping: () => ({}),
  "tools/list": () => ({
    tools: [
      { name: "note", inputSchema, annotations: { idempotentHint: true } },
      { name: "post", inputSchema },
    ],
  }),
  "tools/call": async (call) => {
    const effect = { tool: `mcp__${name}__${call.name}`, key: call._meta?.[KEY], ...call.arguments };
    const response = await fetch(COUNT_URL, { method: "POST", body: JSON.stringify(effect) });
    return { content: [{ type: "text", text: await response.text() }] };
  },
};

/** Undefined: a notification has no answer. */
async function answerTo(text) {
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return undefined;
  const known = METHODS[method];
  const reply = known
    ? { result: await known(params ?? {}) }
    : { error: { code: -32601, message: `no method ${method}` } };
  return JSON.stringify({ jsonrpc: "2.0", id, ...reply });
}

async function serve(request, response) {
  if (request.method !== "POST") return response.writeHead(405).end();
  let body = "";
  for await (const chunk of request) body += chunk;
  const answer = await answerTo(body);
  if (answer === undefined) return response.writeHead(202).end();
  response.writeHead(200, { "content-type": "application/json" }).end(answer);
}

if (process.argv.includes("--http")) {
  const server = http.createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
} else {
  createInterface(process.stdin).on("line", async (line) => {
    const answer = await answerTo(line);
    if (answer !== undefined) process.stdout.write(`${answer}\n`);
  });
}
