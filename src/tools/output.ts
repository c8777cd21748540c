/** Long results go to a file in the home; the agent gets their beginning and end. */
import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { SPILL_FOLDER, SPILL_HOURS } from "../config/paths.js";
import { startOf } from "../text-limits.js";

/** More than any tool should return: the rest is dropped, even from the file. */
const MAX_FILE_CHARS = 5_000_000;
/** The beginning's share; the end gets more, because it has the outcome. */
const HEAD_SHARE = 0.4;

export interface SpillOver {
  home: string;
  /** Names the file: the same call writes the same file. */
  key: string;
  maxChars: number;
}

/** The result for the model, never longer than `maxChars`. */
export async function limitedOutput(output: string, { home, key, maxChars }: SpillOver): Promise<string> {
  if (output.length <= maxChars) return output;
  const name = path.posix.join(SPILL_FOLDER, `${fileName(key)}.txt`);
  const kept = await write(path.join(home, name), startOf(output, MAX_FILE_CHARS)).then(
    () => `The whole output is in ${name} of the gateway's home for ${SPILL_HOURS} hours.`,
    () => "The whole output could not be stored.",
  );
  return bothEnds(output, maxChars, kept);
}

/** Beginning, note and end. Pure. */
export function bothEnds(output: string, maxChars: number, note: string): string {
  const gap = `\n\n[… ${output.length} characters; the middle is left out. ${note}]\n\n`;
  const room = Math.max(0, maxChars - gap.length);
  const head = startOf(output, Math.floor(room * HEAD_SHARE));
  return startOf(`${head}${gap}${endOf(output, room - head.length)}`, maxChars);
}

/** Never starts within a surrogate pair. */
function endOf(text: string, chars: number): string {
  if (chars <= 0) return "";
  const end = text.slice(-chars);
  return /^[\uDC00-\uDFFF]/.test(end) ? end.slice(1) : end;
}

/** Keys may be any text. */
function fileName(key: string): string {
  const readable = key.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 40);
  return `${readable}-${createHash("sha256").update(key).digest("hex").slice(0, 12)}`;
}

async function write(file: string, text: string): Promise<void> {
  await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    await fs.writeFile(fresh, text, { mode: 0o600, flag: "wx" });
    await fs.rename(fresh, file);
  } catch (error) {
    await fs.rm(fresh, { force: true });
    throw error;
  }
}
