/** Pictures of a message → parts that a model is shown, as many and as large as it may be. */
import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { Attachment } from "../message.js";

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
  /** Pictures that are not among them. */
  omitted: number;
}

/** What every provider takes. */
const SHOWN_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function isPicture({ kind, mimeType, path: file }: Attachment): boolean {
  return kind === "image" && file !== undefined && SHOWN_TYPES.has(mimeType ?? "");
}

/** `folder` is where fetched files lie: nothing else is read, whatever a message says. Never rejects. */
export async function readImages(
  attachments: readonly Attachment[],
  place: { home: string; folder: string },
  limits: ImageLimits,
): Promise<ShownImages> {
  const pictures = attachments.filter(isPicture);
  const read = await Promise.all(
    pictures.slice(0, limits.maxCount).map((picture) => readOne(picture, place, limits.maxBytes)),
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
    if (!real.startsWith(root + path.sep) || (await stat(real)).size > maxBytes) return undefined;
    const data = await readFile(real, "base64");
    return { type: "image_url", image_url: { url: `data:${mimeType};base64,${data}` } };
  } catch {
    // Cleaned up meanwhile: its description stands in the message all the same.
    return undefined;
  }
}
