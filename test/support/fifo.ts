import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/** A FIFO without a writer: opening it in the usual way blocks for ever. */
export function fifo(...names: string[]): string {
  const file = path.join(...names);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  execFileSync("sh", ["-c", 'mkfifo "$0"', file]);
  return file;
}
