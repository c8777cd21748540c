/** What is remembered: one small file a person, and one for all. */
import { createHash, randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import type { Person, Principal } from "../../message.js";
import { readRegular } from "../../regular-file.js";

export type MemorySlot = "shared" | Principal;

export interface MemoryFiles {
  /** Empty when there is none. */
  read(slot: MemorySlot): Promise<string[]>;
  /** One change after the other per file. What `change` throws, the caller gets, and the file stays as it was. */
  change(slot: MemorySlot, change: (entries: readonly string[]) => readonly string[]): Promise<void>;
}

export const MOST_MEMORY_CHARS = 8000;

/** As Hermes separates its entries. */
const SEPARATOR = /^[ \t]*§[ \t]*$/m;

export function memoryFiles(folder: string): MemoryFiles {
  const inLine = new Map<string, Promise<void>>();
  const kept = new KeptEntries();
  return {
    read: (slot) => kept.read(memoryFile(folder, slot)),
    async change(slot, change) {
      const file = memoryFile(folder, slot);
      const before = inLine.get(file) ?? Promise.resolve();
      const mine = before.then(() => changeFile(file, change));
      const quiet = mine.catch(() => undefined);
      inLine.set(file, quiet);
      await mine.finally(() => inLine.get(file) === quiet && inLine.delete(file));
    },
  };
}

/** An id is any text a platform likes: what is readable of it, and a hash that tells all of them apart. */
export function memoryFile(folder: string, slot: MemorySlot): string {
  if (slot === "shared") return path.join(folder, "MEMORY.md");
  return path.join(folder, "people", safeName(slot.platform), `${safeName(slot.userId)}.md`);
}

/** Only letters, digits, `_` and `-`, so that no name leads anywhere. */
function safeName(id: string): string {
  const readable = id.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 40);
  return `${readable}-${createHash("sha256").update(id).digest("hex").slice(0, 16)}`;
}

/** Whose files there are, as far as names tell: one that was shortened or changed for its file is nobody's. */
export async function memoryOwners(folder: string): Promise<Person[]> {
  const files = await fs.readdir(path.join(folder, "people"), { recursive: true }).catch(() => []);
  return files.flatMap((file) => {
    const [platform, userId] = file.replace(/\.md$/, "").split(path.sep).map(idOf);
    return file.endsWith(".md") && platform && userId ? [{ platform, userId }] : [];
  });
}

function idOf(name: string): string | undefined {
  const id = name.slice(0, name.lastIndexOf("-"));
  return safeName(id) === name ? id : undefined;
}

const MAX_KEPT = 200;
/** A file may change twice in one tick of its clock: one that is younger than this is read again. */
const YOUNG_MS = 2000;

/** Every session begins with a look at two files that hardly ever change: they are read when they have changed. */
class KeptEntries {
  readonly #kept = new Map<string, { stamp: string; entries: readonly string[] }>();

  async read(file: string): Promise<string[]> {
    // Before the text: what is written in between has another stamp, and is read the next time. Not in the thread pool:
    // to hand it over takes ten times as long as the answer, which most of the time is that there is no file.
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (!found) return [];
    const { ino, size, mtimeNs, ctimeNs, ctimeMs } = found;
    const stamp = `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    const known = this.#kept.get(file);
    if (known?.stamp === stamp) return [...known.entries];
    const entries = await readEntries(file);
    this.#kept.delete(file);
    if (Date.now() - Number(ctimeMs) > YOUNG_MS) this.#keep(file, { stamp, entries });
    return [...entries];
  }

  #keep(file: string, read: { stamp: string; entries: readonly string[] }): void {
    // The oldest goes first: a Map keeps the order of insertion.
    if (this.#kept.size >= MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(file, read);
  }
}

async function readEntries(file: string): Promise<string[]> {
  const text = await readRegular(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return text
    .toString()
    .split(SEPARATOR)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

async function changeFile(
  file: string,
  change: (entries: readonly string[]) => readonly string[],
): Promise<void> {
  const entries = change(await readEntries(file));
  await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await replaceFile(file, entries.length === 0 ? "" : `${joinEntries(entries)}\n`);
}

export function joinEntries(entries: readonly string[]): string {
  return entries.join("\n§\n");
}

/** Whoever reads meanwhile sees the old text or the new one. */
async function replaceFile(file: string, text: string): Promise<void> {
  const fresh = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await fs.writeFile(fresh, text, { mode: 0o600, flag: "wx", flush: true });
    await fs.rename(fresh, file);
  } catch (error) {
    await fs.rm(fresh, { force: true });
    throw error;
  }
}

/** A line with the mark alone would become a border between entries. */
export function cleanEntry(text: string): string {
  return text
    .split("\n")
    .filter((line) => !SEPARATOR.test(line))
    .join("\n")
    .trim();
}
