/** Memory files: one per person and one shared. */
import { createHash, randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import type { Person, Principal } from "../message.js";
import { ifMissing } from "../missing.js";
import { readRegular } from "../regular-file.js";

export type MemorySlot = "shared" | Principal;

export interface MemoryFiles {
  /** Empty if there is no file. */
  read(slot: MemorySlot): Promise<string[]>;
  /** Serialised per file. If `change` throws, the error is passed on and the file stays unchanged. */
  change(slot: MemorySlot, change: (entries: readonly string[]) => readonly string[]): Promise<void>;
}

export const MAX_MEMORY_CHARS = 8000;

/** Hermes' entry separator. */
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

/** File name for a user id: its safe characters plus a hash, since ids can be any text. */
export function memoryFile(folder: string, slot: MemorySlot): string {
  if (slot === "shared") return path.join(folder, "MEMORY.md");
  return path.join(folder, "people", nameBelowPeople(slot));
}

function nameBelowPeople({ platform, userId }: Person): string {
  return path.join(safeName(platform), `${safeName(userId)}.md`);
}

/** Only letters, digits, `_` and `-`: no path traversal. */
function safeName(id: string): string {
  return `${readable(id)}-${createHash("sha256").update(id).digest("hex").slice(0, 16)}`;
}

function readable(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 40);
}

export interface ListedMemories {
  /** Owners of the files, as far as file names reveal them: shortened or changed ids can't be recovered. */
  owners: Person[];
  has(person: Person): boolean;
}

/** One look at the folder, however many people are asked about. */
export async function listMemories(folder: string): Promise<ListedMemories> {
  const files = await fs
    .readdir(path.join(folder, "people"), { recursive: true })
    .catch(ifMissing<string[]>([]));
  const names = new Set(files.filter((file) => file.endsWith(".md")));
  // Most people have no file, and their ids needn't be hashed to know it.
  const beginnings = new Set([...names].map((name) => withoutHash(path.basename(name))));
  return {
    owners: [...names].flatMap((file) => {
      const [platform, userId] = file.replace(/\.md$/, "").split(path.sep).map(idOf);
      return platform && userId ? [{ platform, userId }] : [];
    }),
    has: (person) => beginnings.has(readable(person.userId)) && names.has(nameBelowPeople(person)),
  };
}

const withoutHash = (name: string) => name.slice(0, name.lastIndexOf("-"));

function idOf(name: string): string | undefined {
  const id = withoutHash(name);
  return safeName(id) === name ? id : undefined;
}

const MAX_KEPT = 200;
/** Files younger than this are read again: they may change twice within one mtime tick. */
const YOUNG_MS = 2000;

/** Caches memory files by their stat: every session reads two, and they rarely change. */
class KeptEntries {
  readonly #kept = new Map<string, { stamp: string; entries: readonly string[] }>();

  async read(file: string): Promise<string[]> {
    // Stat before reading, so that a write in between is noticed next time. Synchronous: the thread pool
    // costs ten times as much as the call, which usually finds no file.
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
    // Evict the oldest: a Map keeps insertion order.
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

/** Atomic: readers see the old or the new text. */
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

/** Escapes lines that would be read as an entry separator. */
export function cleanEntry(text: string): string {
  return text
    .split("\n")
    .filter((line) => !SEPARATOR.test(line))
    .join("\n")
    .trim();
}

/** Shrinking is always allowed, even if another program made the file too large. */
export function isTooLong(entries: readonly string[], before: readonly string[]): boolean {
  const chars = joinEntries(entries).length;
  return chars > MAX_MEMORY_CHARS && chars >= joinEntries(before).length;
}
