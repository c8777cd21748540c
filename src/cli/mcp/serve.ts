/** `hermes mcp serve`: the chats as MCP tools over stdio. Bridges to the running gateway; without one, uses its store. */
import { loadConfig } from "../../config/load.js";
import { homePaths, resolveHome } from "../../config/paths.js";
import { ownerToken } from "../../http/owner-token.js";
import { localCalls } from "../../mcp-server/local-calls.js";
import { offlineService } from "../../mcp-server/offline.js";
import { type Gateway, RemoteCalls } from "../../mcp-server/remote-calls.js";
import { type CallTool, newServer } from "../../mcp-server/server.js";
import { knownTargetsOf } from "../../rules.js";
import { membershipOf, openStore } from "../../store/open.js";
import type { Store } from "../../store/store.js";
import { io } from "../io.js";
import { printError } from "../output.js";

export async function serve(): Promise<void> {
  const home = resolveHome(io().env);
  const { config } = loadConfig({ home, env: io().env });
  const { stateDb, dashboardToken } = homePaths(home);
  let opening: Promise<Store> | undefined;
  const store = () => {
    opening ??= openStore({ path: stateDb, foreign: "refuse", threads: false });
    return opening;
  };
  const local = localCalls(
    async () => offlineService(await store(), knownTargetsOf(config)),
    (error) => printError(`error: ${error instanceof Error ? error.message : String(error)}`),
  );
  const remote = new RemoteCalls();
  /** Looked up for each call, because the gateway may start or stop at any time. */
  const gateway = async (): Promise<Gateway | undefined> => {
    const { running, info } = await membershipOf(home).state();
    if (!running || !info?.url) return undefined;
    return { url: info.url, token: config.http.token ?? ownerToken(dashboardToken) };
  };
  const call: CallTool = async (...asked) => {
    const running = await gateway();
    return running ? remote.call(running, ...asked) : local(...asked);
  };
  await untilClosed(call);
  await remote.close();
  await opening?.then((opened) => opened.close());
}

/** Until its input ends. Only messages go to its output. */
async function untilClosed(call: CallTool): Promise<void> {
  const sdk = await import("@modelcontextprotocol/server");
  const { serveStdio, StdioServerTransport } = await import("@modelcontextprotocol/server/stdio");
  const { stdin, stdout, signals } = io();
  const handle = serveStdio(() => newServer(sdk, call), {
    transport: new StdioServerTransport(stdin, stdout),
  });
  await new Promise<void>((resolve) => {
    stdin.once("end", resolve);
    stdin.once("close", resolve);
    signals.once("SIGINT", resolve);
    signals.once("SIGTERM", resolve);
  });
  await handle.close();
}
