/** MCP servers whose tools count: `near` is a process of the gateway and ends with it, `far` runs on through its crashes. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { atEnd } from "../../support/at-end.js";

const PROGRAM = fileURLToPath(new URL("../../support/counting-server.mjs", import.meta.url));

export const MCP_TOOLS = ["near", "far"].flatMap((name) => [`mcp__${name}__note`, `mcp__${name}__post`]);

export interface CountingServers {
  /** For config.yaml. */
  yaml: string;
  close(): Promise<void>;
}

export async function countingServers(countUrl: string): Promise<CountingServers> {
  const child = spawn(process.execPath, [PROGRAM, "far", "--http"], {
    env: { ...process.env, COUNT_URL: countUrl },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const close = () => ended(child);
  atEnd(close);
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  const yaml = `
mcp_servers:
  near: {command: "${process.execPath}", args: ["${PROGRAM}", near], env: {COUNT_URL: "${countUrl}"}, allow: [paired]}
  far: {url: "${url}", allow: [paired]}
`;
  return { yaml, close };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
