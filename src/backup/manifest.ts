import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";

/** The contents of a backup, so that a restore can verify that it is complete. */
export const MANIFEST = "manifest.json";
export const FORMAT = 1;

const manifestSchema = z.object({
  format: z.int(),
  /** Of the gateway that made it. */
  version: z.string(),
  created_at: z.number(),
  files: z.array(z.object({ path: z.string(), bytes: z.int(), sha256: z.string() })),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type BackedUpFile = Manifest["files"][number];

/** Nothing when it isn't one. */
export function parseManifest(text: string): Manifest | undefined {
  try {
    return manifestSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Every file under a folder, by its path from there, in order. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
    .sort();
}

export async function describeFiles(folder: string): Promise<BackedUpFile[]> {
  const names = await listFiles(folder);
  return Promise.all(names.map((name) => describeFile(folder, name)));
}

async function describeFile(folder: string, name: string): Promise<BackedUpFile> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path.join(folder, name))) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { path: name, bytes, sha256: hash.digest("hex") };
}
