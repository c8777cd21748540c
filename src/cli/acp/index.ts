import { Readable, Writable } from "node:stream";
import { Command } from "commander";
import { loadConfig } from "../../config/load.js";
import { resolveHome } from "../../config/paths.js";
import { version } from "../../version.js";
import { io } from "../io.js";
import { print } from "../output.js";

export function acpCommand(): Command {
  return new Command("acp")
    .option("--check", "check that everything needed is installed, and exit")
    .option("--version", "print the version and exit")
    .addHelpText("after", HELP)
    .action(acp);
}

const HELP = `
An editor starts it and talks to it over stdin and stdout. In Zed's settings.json:

  "agent_servers": {"Hermes": {"command": "hermes", "args": ["acp"]}}`;

async function acp({ check, version: wantsVersion }: { check?: boolean; version?: boolean }): Promise<void> {
  if (wantsVersion) return print(version());
  const sdk = await import("@agentclientprotocol/sdk");
  if (check) {
    loadConfig({ home: resolveHome(io().env), env: io().env });
    return print("Hermes ACP check OK");
  }
  const { EditorServer } = await import("./server.js");
  const server = await EditorServer.open(sdk);
  const { stdin, stdout, signals } = io();
  const stream = sdk.ndJsonStream(
    Writable.toWeb(stdout) as WritableStream<Uint8Array>,
    Readable.toWeb(stdin) as ReadableStream<Uint8Array>,
  );
  const connection = server.app().connect(stream);
  const leave = () => connection.close();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) signals.once(signal, leave);
  try {
    await connection.closed.catch(() => undefined);
  } finally {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) signals.off(signal, leave);
    await server.close();
  }
}
