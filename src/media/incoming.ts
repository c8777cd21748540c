/** Downloads a chat's files into the home: size-limited, sniffed, under our own names. */
import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Attachment, InboundMessage } from "../message.js";
import { kindOf, sniff } from "./sniff.js";

export interface MediaFolder {
  /** Paths in messages are relative to it. */
  home: string;
  /** Download folder, relative to the home. */
  folder: string;
  maxBytes: number;
}

/** Download settings for adapters. */
export interface IncomingMedia extends MediaFolder {
  /** Whether to download this message's files. */
  mayFetch(message: InboundMessage): Promise<boolean>;
}

/** Why a download failed, safe to show. Other error messages aren't shown. */
export class MediaProblem extends Error {}

export const NOT_FETCHED = "It was not fetched: the message is not for me";

export interface Download {
  url: string;
  headers?: Record<string, string>;
  /** The platform's file name. */
  declared?: string | undefined;
  timeoutMs: number;
  signal: AbortSignal;
  /** Throws if the response isn't the file. */
  check?(response: Response): void;
  /** Makes the request; left out: `fetch`, which follows no redirect. */
  fetch?(): Promise<Response>;
}

export type Fetched = Required<Pick<Attachment, "path" | "bytes" | "mimeType" | "kind">>;

/** Rejects with a MediaProblem that can be shown. Redirects aren't followed. */
export async function download(request: Download, into: MediaFolder): Promise<Fetched> {
  const { url, headers = {}, declared, signal, timeoutMs } = request;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const response = await (request.fetch?.() ?? fetch(url, { headers, redirect: "error", signal: limited }));
  try {
    if (!response.ok) throw new MediaProblem(`The platform refused the download (HTTP ${response.status})`);
    request.check?.(response);
    checkSize(Number(response.headers.get("content-length") ?? 0), into.maxBytes);
  } catch (error) {
    await response.body?.cancel();
    throw error;
  }
  return keepFile(response.body ?? [], into, declared);
}

export function checkSize(bytes: number, maxBytes: number): void {
  if (bytes > maxBytes) throw new MediaProblem(`The file is larger than ${megabytes(maxBytes)} MB`);
}

export function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toLocaleString("en", { maximumFractionDigits: 1 });
}

/** Written as `.part` and renamed, so the final name is always complete. */
export async function keepFile(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { home, folder, maxBytes }: MediaFolder,
  declared: string | undefined,
): Promise<Fetched> {
  const name = path.posix.join(folder, randomUUID());
  const part = path.join(home, `${name}.part`);
  await mkdir(path.dirname(part), { recursive: true, mode: 0o700 });
  try {
    const bytes = await write(body, part, maxBytes);
    const { mimeType, extension } = await sniff(part, declared);
    const final = `${name}.${extension}`;
    await rename(part, path.join(home, final));
    return { path: final, bytes, mimeType, kind: kindOf(mimeType) };
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function write(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  file: string,
  maxBytes: number,
): Promise<number> {
  const handle = await open(file, "wx", 0o600);
  let bytes = 0;
  try {
    // Leaving the loop cancels the rest.
    for await (const chunk of body) {
      bytes += chunk.length;
      checkSize(bytes, maxBytes);
      await handle.writeFile(chunk);
    }
  } finally {
    await handle.close();
  }
  return bytes;
}
