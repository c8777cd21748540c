/** Reads a message's images as parts for the model, within count and size limits. */
import { realpath } from "node:fs/promises";
import path from "node:path";
import type { Attachment } from "../message.js";
import { openRegular } from "../regular-file.js";

export interface ImageLimits {
  maxBytes: number;
  maxCount: number;
}

/** In OpenAI's chat format. */
export interface ImagePart {
  type: "image_url";
  image_url: { url: string };
}

export interface ShownImages {
  parts: ImagePart[];
  /** Images that were left out. */
  omitted: number;
}

/** Formats that every provider supports. */
const SHOWN_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function isPicture({ kind, mimeType, path: file }: Attachment): boolean {
  return kind === "image" && file !== undefined && SHOWN_TYPES.has(mimeType ?? "");
}

/** Reads only from `folder`, whatever path a message names. Never rejects. */
export async function readImages(
  attachments: readonly Attachment[],
  location: { home: string; folder: string },
  limits: ImageLimits,
): Promise<ShownImages> {
  const pictures = attachments.filter(isPicture);
  const read = await Promise.all(
    pictures.slice(0, limits.maxCount).map((picture) => readOne(picture, location, limits.maxBytes)),
  );
  const parts = read.filter((part) => part !== undefined);
  return { parts, omitted: pictures.length - parts.length };
}

async function readOne(
  { path: file, mimeType }: Attachment,
  { home, folder }: { home: string; folder: string },
  maxBytes: number,
): Promise<ImagePart | undefined> {
  try {
    const root = await realpath(path.join(home, folder));
    const real = await realpath(path.resolve(home, file!));
    if (!real.startsWith(root + path.sep)) return undefined;
    const data = await readUpTo(real, maxBytes);
    if (data === undefined) return undefined;
    return { type: "image_url", image_url: { url: `data:${mimeType};base64,${data}` } };
  } catch {
    // Cleaned up meanwhile; the message still describes it.
    return undefined;
  }
}

/** Base64; undefined if too large. */
async function readUpTo(file: string, maxBytes: number): Promise<string | undefined> {
  const handle = await openRegular(file);
  try {
    return (await handle.stat()).size > maxBytes ? undefined : await handle.readFile("base64");
  } finally {
    await handle.close();
  }
}
