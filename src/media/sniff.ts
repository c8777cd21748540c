/** Detects a file's type from its first bytes; names and headers can't be trusted. */
import { open } from "node:fs/promises";
import type { Attachment } from "../message.js";

export interface FileType {
  mimeType: string;
  /** Without the dot. */
  extension: string;
}

const UNKNOWN: FileType = { mimeType: "application/octet-stream", extension: "bin" };
const TEXT: FileType = { mimeType: "text/plain", extension: "txt" };
const HEAD_BYTES = 4096;

/** `declared` is only used for the subtype of plain text. */
export async function sniff(file: string, declared?: string): Promise<FileType> {
  const { fileTypeFromFile } = await import("file-type");
  const found = await fileTypeFromFile(file);
  if (found) return { mimeType: found.mime, extension: found.ext };
  if (!isText(await headOf(file))) return UNKNOWN;
  const claim = declared?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return /^(text\/[\w.+-]+|application\/json)$/.test(claim) ? { ...TEXT, mimeType: claim } : TEXT;
}

/** The attachment kind of a MIME type. */
export function kindOf(mimeType: string | undefined): Attachment["kind"] {
  const family = mimeType?.split("/", 1)[0];
  return family === "image" || family === "audio" || family === "video" ? family : "file";
}

async function headOf(file: string): Promise<Buffer> {
  const handle = await open(file, "r");
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await handle.read(head, 0, HEAD_BYTES, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function isText(head: Buffer): boolean {
  if (head.length === 0 || head.includes(0)) return false;
  try {
    // A character may be cut at the end of the sample.
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
