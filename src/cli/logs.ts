/** `hermes gateway logs`: the daemon's log, filtered, and followed with -f. */
import fs from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { homePaths, resolveHome } from "../config/paths.js";
import { LOG_FILE, logFiles } from "../log-file.js";
import { fieldsText, isAtLeast, type Level, parseLine } from "../log-lines.js";
import { oneLine, plain } from "./cells.js";
import { io } from "./io.js";
import { readLines } from "./lines.js";
import { colors, print, printError, writeOut } from "./output.js";

export interface LogsOptions {
  lines: number;
  follow?: boolean;
  level?: Level;
  platform?: string;
  grep?: string;
  /** Epoch seconds. */
  since?: number;
  json?: boolean;
}

const POLL_MS = 500;
const MAX_READ_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

export async function showLogs(options: LogsOptions): Promise<void> {
  const folder = homePaths(resolveHome(io().env)).logsDir;
  const files = logFiles(folder);
  if (files.length === 0 && !options.follow) {
    printError(`There is no log in ${folder} yet: the gateway creates it at its first start.`);
    io().exitCode = 1;
    return;
  }
  let last: string[] = [];
  for (const file of files)
    for await (const { text } of readLines(fs.createReadStream(file))) {
      if (!isWanted(text, options)) continue;
      last.push(text);
      if (last.length > 2 * options.lines) last = last.slice(-options.lines);
    }
  for (const line of last.slice(-options.lines)) await writeOut(`${drawn(line, options)}\n`);
  if (options.follow) await follow(`${folder}/${LOG_FILE}`, options);
}

/** Until Ctrl-C. */
async function follow(file: string, options: LogsOptions): Promise<void> {
  const stopped = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"]) io().signals.once(name, () => stopped.abort());
  const { size, ino } = statOf(file) ?? { size: 0, ino: 0 };
  let reached = { at: size, inode: ino };
  while (!stopped.signal.aborted) {
    const found = statOf(file);
    if (found) {
      // A new file after a rotation.
      if (found.ino !== reached.inode || found.size < reached.at) reached = { at: 0, inode: found.ino };
      const lines = wholeLines(file, reached.at, found.size);
      reached.at += lines.length;
      for (const line of lines.toString("utf8").split("\n"))
        if (isWanted(line, options)) print(drawn(line, options));
    }
    await pause(POLL_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
  }
}

function statOf(file: string): fs.Stats | undefined {
  return fs.statSync(file, { throwIfNoEntry: false });
}

/** Complete lines only. */
function wholeLines(file: string, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(Math.min(MAX_READ_BYTES, to - from));
  const fd = fs.openSync(file, "r");
  try {
    const read = bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, from));
    // A line that fills the whole buffer is shown in pieces.
    const end =
      read.length === MAX_READ_BYTES && !read.includes(NEWLINE) ? read.length : read.lastIndexOf(NEWLINE) + 1;
    return read.subarray(0, end);
  } finally {
    fs.closeSync(fd);
  }
}

export function isWanted(line: string, { level, platform, grep, since }: LogsOptions): boolean {
  if (grep !== undefined && !line.toLowerCase().includes(grep.toLowerCase())) return false;
  if (line === "") return false;
  if (level === undefined && platform === undefined && since === undefined) return true;
  const entry = parseLine(line);
  if (!entry) return false;
  if (level !== undefined && !isAtLeast(entry, level)) return false;
  if (platform !== undefined && entry.platform !== platform) return false;
  return since === undefined || Date.parse(String(entry.time)) / 1000 >= since;
}

const PAINT: Record<Level, (text: string) => string> = {
  debug: (text) => colors.dim(text),
  info: (text) => colors.green(text),
  warn: (text) => colors.yellow(text),
  error: (text) => colors.red(text),
};

export function drawn(line: string, { json }: Pick<LogsOptions, "json">): string {
  const entry = json ? undefined : parseLine(line);
  if (!entry) return json ? line : plain(line);
  const { level, time, msg } = entry;
  const paint = PAINT[level as Level] ?? String;
  const at = new Date(String(time)).toLocaleTimeString("sv-SE");
  const words = [
    colors.dim(at),
    paint(String(level).toUpperCase().padEnd(5)),
    oneLine(String(msg)),
    colors.dim(oneLine(fieldsText(entry))),
  ];
  return words.join(" ").trimEnd();
}
