import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "../../support/temp.js";

const SCRIPT = fileURLToPath(new URL("../../support/acp-agent.mjs", import.meta.url));

interface LogEntry {
  pid: number;
  prompt?: string;
  sessionId?: string;
  new?: string;
  load?: string;
  resume?: string;
  cancel?: string;
  cwd?: string;
  env?: string[];
}

/** The scripted agent: its settings, and what it wrote down. */
export function scripted(options = "load") {
  const dir = tempDir();
  const file = path.join(dir, "log.jsonl");
  const settings = {
    command: process.execPath,
    args: [SCRIPT],
    env: { ACP_LOG: file, ACP_OPTIONS: options },
    cwd: path.join(dir, "work"),
  };
  /** Complete lines only: it may be writing one. */
  const log = (): LogEntry[] =>
    (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as LogEntry);
  return {
    settings,
    log,
    prompts: () => log().flatMap(({ prompt }) => prompt ?? []),
    pids: () => [...new Set(log().map(({ pid }) => pid))],
    /** Processes of these groups that still run. */
    alive: () => [...new Set(log().map(({ pid }) => pid))].flatMap(groupOf),
  };
}

function groupOf(pgid: number): string[] {
  const lines = execFileSync("ps", ["-eo", "pgid=,pid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return lines
    .map((line) => line.trim())
    .filter((line) => line.startsWith(`${pgid} `) && !/^\d+\s+\d+\s+Z/.test(line));
}
