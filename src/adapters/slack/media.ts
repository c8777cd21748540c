/** Files in: fetched with a limit, sniffed, under a random name. Files out: only from allowed folders. */
import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import type { Attachment } from "../../message.js";
import type { SlackFile } from "./native.js";
import { kindOf } from "./normalise.js";
import { sniff } from "./sniff.js";

export interface DownloadOptions {
  token: string;
  apiUrl: string;
  mediaDir: string;
  maxBytes: number;
  timeoutMs: number;
  signal: AbortSignal;
}

/** The attachment with its path, or with the reason why there is none. Never rejects. */
export async function download(
  file: SlackFile,
  attachment: Attachment,
  options: DownloadOptions,
): Promise<Attachment> {
  try {
    const bytes = await fetchFile(file, options);
    const type = sniff(bytes) ?? {
      mimeType: attachment.mimeType ?? "application/octet-stream",
      ending: ".bin",
    };
    await fs.mkdir(options.mediaDir, { recursive: true, mode: 0o700 });
    const target = path.join(options.mediaDir, `${randomUUID()}${type.ending}`);
    await fs.writeFile(target, bytes, { mode: 0o600, flag: "wx" });
    const kind = attachment.kind === "audio" ? "audio" : kindOf(type.mimeType);
    return { ...attachment, kind, mimeType: type.mimeType, bytes: bytes.length, path: target };
  } catch (error) {
    return { ...attachment, problem: problemOf(error) };
  }
}

/** What a user may read about a file that isn't there. */
class DownloadProblem extends Error {}

function problemOf(error: unknown): string {
  return error instanceof DownloadProblem ? error.message : "The file could not be fetched from Slack";
}

async function fetchFile(file: SlackFile, options: DownloadOptions): Promise<Buffer> {
  const { maxBytes } = options;
  const limit = `The file is larger than ${Math.floor(maxBytes / 1024 / 1024)} MiB`;
  if (file.size !== undefined && file.size > maxBytes) throw new DownloadProblem(limit);
  const address = file.url_private_download ?? file.url_private;
  if (!address || !isSlacks(address, options.apiUrl))
    throw new DownloadProblem("The file lies outside of Slack");
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${options.token}` },
    // A redirect would be to the login page, or take the token for a walk.
    redirect: "error",
    signal: AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]),
  });
  if (response.status !== 200)
    throw new DownloadProblem(`Slack answered with HTTP ${response.status} for the file`);
  if (isLoginPage(response, file)) {
    await response.body?.cancel();
    throw new DownloadProblem("The Slack app lacks the scope files:read: add it and reinstall the app");
  }
  return await readUpTo(response, maxBytes, limit);
}

/** The token goes to Slack and nowhere else. */
function isSlacks(address: string, apiUrl: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url) return false;
  if (url.origin === new URL(apiUrl).origin) return true;
  return url.protocol === "https:" && /(^|\.)slack(-files)?\.com$/.test(url.hostname);
}

function isLoginPage(response: Response, file: SlackFile): boolean {
  const html = response.headers.get("content-type")?.startsWith("text/html") ?? false;
  return html && !(file.mimetype ?? "").includes("html");
}

async function readUpTo(response: Response, maxBytes: number, problem: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    // Leaving the loop cancels the rest.
    if (size > maxBytes) throw new DownloadProblem(problem);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export interface OutgoingFile {
  name: string;
  content: Buffer;
}

/** Reads a file that is to be sent. Links are followed first: what counts is where the file lies. */
export async function readAllowed(
  file: string,
  folders: readonly string[],
  maxBytes: number,
): Promise<OutgoingFile> {
  const real = await fs.realpath(file);
  const allowed = await Promise.all(folders.map((folder) => fs.realpath(folder).catch(() => undefined)));
  const inside = allowed.some((folder) => folder !== undefined && real.startsWith(folder + path.sep));
  if (!inside) throw new Error("The file lies in no folder that files may be sent from");
  const handle = await fs.open(real, "r");
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) throw new Error(`The file is larger than ${Math.floor(maxBytes / 1024 / 1024)} MiB`);
    return { name: path.basename(real), content: await handle.readFile() };
  } finally {
    await handle.close();
  }
}
