import { createInterface } from "node:readline";
import { loadConfig } from "../../config/load.js";
import { resolveHome } from "../../config/paths.js";
import { HermesError } from "../../errors.js";
import { messageOf } from "../../mcp/connected-server.js";
import { logIn } from "../../mcp/login.js";
import { TokenFiles } from "../../mcp/token-files.js";
import { io } from "../io.js";
import { print, printJson } from "../output.js";
import { serverNamed } from "./named.js";

/** Waits for a person to log in with a browser, on this or another machine. */
export async function login(server: string, { json }: { json?: boolean }): Promise<void> {
  const home = resolveHome(io().env);
  const settings = serverNamed(server, loadConfig({ home, env: io().env }).config.mcp_servers);
  if (settings.auth !== "oauth" || settings.url === null)
    throw new HermesError("invalid", `${server} isn't a server with OAuth.`, {
      hint: `Set mcp_servers.${server}.url and auth: oauth, or use headers.`,
    });
  const stop = new AbortController();
  const onSignal = () => stop.abort(new Error("interrupted"));
  io().signals.once("SIGINT", onSignal);
  io().signals.once("SIGTERM", onSignal);
  const input = pastedAddress();
  try {
    const show = (address: URL) => {
      io().stderr.write(
        `Open this address in a browser and log in:\n\n${address}\n\nIf the browser runs on another machine, paste the address ` +
          "of the page it is redirected to (127.0.0.1) here.\n",
      );
    };
    const tools = await logIn({ server, settings, home, show, pasted: input.address }, stop.signal);
    if (json) printJson({ ok: true, name: server, tools });
    else print(`Logged in to ${server}: ${tools} tools. A running gateway connects within a minute.`);
  } catch (error) {
    throw new HermesError("unavailable", `The login to ${server} failed: ${messageOf(error)}.`, {
      hint: `Run \`hermes mcp login ${server}\` again.`,
      cause: error,
    });
  } finally {
    input.close();
    io().signals.off("SIGINT", onSignal);
    io().signals.off("SIGTERM", onSignal);
  }
}

/** Deletes the login locally. The server may keep it until it expires. */
export async function logout(server: string, { json }: { json?: boolean }): Promise<void> {
  const home = resolveHome(io().env);
  serverNamed(server, loadConfig({ home, env: io().env }).config.mcp_servers);
  const files = new TokenFiles(home, server);
  const wasIn = (await files.tokens()) !== undefined;
  await files.remove();
  if (json) printJson({ ok: true, name: server, logged_in: wasIn });
  else print(wasIn ? `Logged out of ${server}.` : `There was no login to ${server}.`);
}

function pastedAddress(): { address: Promise<URL>; close(): void } {
  const lines = createInterface({ input: io().stdin });
  const address = new Promise<URL>((resolve) => {
    lines.on("line", (line) => {
      if (URL.canParse(line.trim())) resolve(new URL(line.trim()));
    });
  });
  return { address, close: () => lines.close() };
}
