/** Files of a chat → the home: fetched with a limit, sniffed, under a name of our own. */
import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Attachment, InboundMessage } from "../message.js";
import { kindOf, sniff } from "./sniff.js";

export interface IncomingPlace {
  /** Paths in messages are relative to it. */
  home: string;
  /** Where fetched files go, under the home. */
  folder: string;
  maxBytes: number;
}

/** What an adapter is told about files that come in. */
export interface IncomingMedia extends IncomingPlace {
  /** Whose files are worth the room. */
  mayFetch(message: InboundMessage): Promise<boolean>;
}

/** Why a file isn't there, in words that its reader may see; nothing else of an error is shown. */
export class MediaProblem extends Error {}

export const NOT_FETCHED = "It was not fetched: the message is not for me";

export interface Download {
  url: string;
  headers?: Record<string, string>;
  /** What the platform calls it. */
  declared?: string | undefined;
  timeoutMs: number;
  signal: AbortSignal;
  /** Throws where the answer is something else than the file. */
  check?(response: Response): void;
}

export type Fetched = Required<Pick<Attachment, "path" | "bytes" | "mimeType" | "kind">>;

/** Rejects with a MediaProblem where a person should read why. No redirect is followed: it could lead anywhere. */
export async function download(request: Download, place: IncomingPlace): Promise<Fetched> {
  const { url, headers = {}, declared, signal, timeoutMs } = request;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const response = await fetch(url, { headers, redirect: "error", signal: limited });
  try {
    if (!response.ok) throw new MediaProblem(`The platform didn't give it out (${response.status})`);
    request.check?.(response);
    checkSize(Number(response.headers.get("content-length") ?? 0), place.maxBytes);
  } catch (error) {
    await response.body?.cancel();
    throw error;
  }
  return keepFile(response.body ?? [], place, declared);
}

export function checkSize(bytes: number, maxBytes: number): void {
  if (bytes > maxBytes) throw new MediaProblem(`It is larger than ${megabytes(maxBytes)} MB`);
}

export function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toLocaleString("en", { maximumFractionDigits: 1 });
}

/** Under its final name it is whole: what a crash leaves behind ends in `.part`. */
export async function keepFile(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { home, folder, maxBytes }: IncomingPlace,
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
