/**
 * The contents of an archive by its headers, read without writing anything: an archive of a few kilobytes can unpack to as many
 * terabytes, and what is unpacked is only compared with its checksums afterwards.
 */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Parser, type ReadEntry } from "tar";
import { MANIFEST, type Manifest, parseManifest } from "./manifest.js";

const MB = 1024 * 1024;
const MAX_FILES = 2_000_000;
const MAX_MANIFEST_BYTES = 512 * MB;
/** Conversations shrink to a third or a tenth; a few empty pages shrink more, so small archives aren't judged by it. */
const MAX_RATIO = 200;
const RATIO_FROM_BYTES = 100 * MB;
/** The check of the database needs a little too. */
const SPARE_BYTES = 16 * MB;

export interface Limits {
  archiveBytes: number;
  freeBytes: number;
}

export interface Declared {
  files: number;
  bytes: number;
}

/** Why an archive with these contents isn't unpacked; undefined if it may be. */
export function sizeProblem(
  { files, bytes }: Declared,
  { archiveBytes, freeBytes }: Limits,
): string | undefined {
  if (files > MAX_FILES) return `it holds more than ${MAX_FILES.toLocaleString("en")} files`;
  if (bytes > RATIO_FROM_BYTES && bytes > MAX_RATIO * archiveBytes)
    return `it would grow to more than ${MAX_RATIO} times its size, which no backup does`;
  if (bytes + SPARE_BYTES > freeBytes)
    return `it needs more room than is free (${Math.floor(freeBytes / MB).toLocaleString("en")} MB)`;
  return undefined;
}

/** The manifest of an archive that may be unpacked. Throws an Error that says why it may not. */
export async function inspect(file: string, freeBytes: number): Promise<Manifest> {
  const { size: archiveBytes } = await stat(file);
  const entries = new Map<string, number>();
  const manifest: Buffer[] = [];
  const declared = { files: 0, bytes: 0 };
  const look = (entry: ReadEntry) => {
    if (entry.type !== "File") return undefined;
    declared.files += 1;
    declared.bytes += entry.size;
    entries.set(entry.path, entry.size);
    if (entry.path === MANIFEST) {
      if (entry.size > MAX_MANIFEST_BYTES) return "its manifest is too large";
      entry.on("data", (chunk: Buffer) => manifest.push(chunk));
    }
    return sizeProblem(declared, { archiveBytes, freeBytes });
  };
  await readEntries(file, look);
  return matching(Buffer.concat(manifest).toString(), entries, declared.files);
}

/** Stops at the first problem: a zip bomb is only unpacked, in memory, up to the header that reveals it. */
async function readEntries(file: string, look: (entry: ReadEntry) => string | undefined): Promise<void> {
  let failure: Error | undefined;
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      const problem = look(entry);
      if (problem !== undefined) failure ??= new Error(problem);
      entry.resume();
    },
  });
  parser.on("error", (error: Error) => {
    failure ??= error;
  });
  const parse = async (unpacked: AsyncIterable<Buffer>) => {
    for await (const chunk of unpacked) {
      parser.write(chunk);
      if (failure) return;
    }
    parser.end();
  };
  await pipeline(createReadStream(file), createGunzip(), parse).catch((error: Error) => {
    // To stop early looks like a failure of the stream.
    failure ??= error;
  });
  if (failure) throw failure;
}

/** Every file is named once, with the size that its header says. */
function matching(text: string, entries: ReadonlyMap<string, number>, found: number): Manifest {
  const manifest = parseManifest(text);
  if (!manifest) throw new Error("it has no manifest, so it was not made by `hermes backup`");
  for (const { path, bytes } of manifest.files) {
    if (entries.get(path) !== bytes) throw new Error(`${path} is missing or damaged`);
  }
  if (entries.size !== manifest.files.length + 1 || found !== entries.size)
    throw new Error("it holds files that its manifest doesn't name");
  return manifest;
}
