/**
 * `client.ts URL`: our MCP client as the conformance checks drive it. Logs in where that is needed, lists the tools of the
 * server and calls each of them once.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { configSchema } from "../../src/config/schema.js";
import { type ConnectedServer, connect } from "../../src/mcp/connected-server.js";
import { logIn } from "../../src/mcp/login.js";

const server = "checked";
const url = process.argv.at(-1);
const wantsLogin = process.env.MCP_CONFORMANCE_SCENARIO?.startsWith("auth/");
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}") as Record<string, string>;
const { client_id = null, client_secret = null } = context;
const given = wantsLogin ? { url, auth: "oauth", oauth: { client_id, client_secret } } : { url };
const settings = configSchema.parse({ mcp_servers: { [server]: given } }).mcp_servers[server]!;
const home = fs.mkdtempSync(path.join(os.tmpdir(), "hermes-checked-"));
const { signal } = new AbortController();

/** As a person with a browser: it follows the redirects. */
const show = (address: URL) => void fetch(address).catch((error: unknown) => console.error(error));

async function connected(): Promise<ConnectedServer> {
  if (wantsLogin) await logIn({ server, settings, home, show }, signal);
  const onError = (error: Error) => console.error(error.message);
  return connect(
    { name: server, settings, home, env: process.env, mark: "", onTools: () => undefined, onError },
    signal,
  );
}

try {
  const server = await connected();
  for (const { name, inputSchema } of server.tools) {
    const args = Object.fromEntries(Object.keys(inputSchema.properties ?? {}).map((key) => [key, 1]));
    console.log(JSON.stringify(await server.call(name, args, { key: name, signal })));
  }
  await server.close();
} finally {
  fs.rmSync(home, { recursive: true, force: true });
}
