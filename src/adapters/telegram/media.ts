/** Files in and out: fetched into one folder under names of our own, sent from allowed folders alone. */
import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import PQueue from "p-queue";
import type { Attachment } from "../../message.js";
import { asSignal, type TelegramApi } from "./api.js";
import type { MediaOptions, Settings } from "./config.js";
import { says } from "./faults.js";
import type { RemoteFile } from "./files.js";
import { kindOf, SNIFFED_BYTES, sniff } from "./sniff.js";

const AT_ONCE = 4;

/** What a reader is told; nothing else of an error is. */
class Problem extends Error {}

export class Downloads {
  readonly #settings: Settings;
  readonly #media: Required<MediaOptions>;
  readonly #queue = new PQueue({ concurrency: AT_ONCE });

  constructor(settings: Settings, media: Required<MediaOptions>) {
    this.#settings = settings;
    this.#media = media;
  }

  /** The attachment with its path, or with the reason why there is none. Rejects only when the signal ends. */
  async fetch(file: RemoteFile, api: TelegramApi, signal: AbortSignal): Promise<Attachment> {
    try {
      const fetched = await this.#queue.add(() => this.#fetch(file, api, signal));
      return { ...file.attachment, ...fetched };
    } catch (error) {
      signal.throwIfAborted();
      return {
        ...file.attachment,
        problem: error instanceof Problem ? error.message : "It could not be fetched",
      };
    }
  }

  async #fetch({ fileId, attachment }: RemoteFile, api: TelegramApi, signal: AbortSignal) {
    this.#checkSize(attachment.bytes ?? 0);
    const limited = AbortSignal.any([signal, AbortSignal.timeout(this.#settings.timing.downloadMs)]);
    const remotePath = await this.#remotePath(fileId, api, limited);
    const content = await this.#download(remotePath, limited);
    const type = sniff(content.subarray(0, SNIFFED_BYTES));
    const folder = path.join(this.#media.home, this.#media.folder);
    const file = path.join(folder, `${randomUUID()}.${type?.extension ?? "bin"}`);
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    await fs.writeFile(file, content, { mode: 0o600, flag: "wx" });
    return {
      path: path.relative(this.#media.home, file),
      bytes: content.length,
      ...(type && { mimeType: type.mimeType, kind: kindOf(type.mimeType) }),
    };
  }

  async #remotePath(fileId: string, api: TelegramApi, signal: AbortSignal): Promise<string> {
    const { file_path } = await api.call.getFile(fileId, asSignal(signal)).catch((error: unknown) => {
      throw says(error, "file is too big") ? tooBig(this.#media.maxDownloadBytes) : error;
    });
    // A local server names a file of its own disk: not ours to open.
    if (!file_path || path.isAbsolute(file_path) || file_path.split("/").includes(".."))
      throw new Problem("The server names no file that can be fetched");
    return file_path;
  }

  async #download(remotePath: string, signal: AbortSignal): Promise<Buffer> {
    const { apiRoot, token } = this.#settings;
    const address = `${apiRoot}/file/bot${token}/${remotePath.split("/").map(encodeURIComponent).join("/")}`;
    const response = await fetch(address, { signal, redirect: "error" });
    if (!response.ok) throw new Problem(`Telegram didn't give it out (${response.status})`);
    this.#checkSize(Number(response.headers.get("content-length") ?? 0));
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      this.#checkSize(bytes);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  #checkSize(bytes: number): void {
    if (bytes > this.#media.maxDownloadBytes) throw tooBig(this.#media.maxDownloadBytes);
  }
}

function tooBig(limitBytes: number): Problem {
  return new Problem(`It is larger than ${megabytes(limitBytes)} MB`);
}

// ── out ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Upload {
  path: string;
  name: string;
  method: UploadMethod;
}

export type UploadMethod =
  | "sendPhoto"
  | "sendVideo"
  | "sendAudio"
  | "sendVoice"
  | "sendAnimation"
  | "sendDocument";

const METHODS: Record<string, UploadMethod> = {
  "image/jpeg": "sendPhoto",
  "image/png": "sendPhoto",
  "image/webp": "sendPhoto",
  "image/gif": "sendAnimation",
  "video/mp4": "sendVideo",
  "audio/mpeg": "sendAudio",
  "audio/mp4": "sendAudio",
  "audio/ogg": "sendVoice",
};
/** Larger pictures go as files. */
const LARGEST_PHOTO_BYTES = 10 * 1024 * 1024;

/** The file to send, or a sentence why not; never the path itself, which is nobody's business. */
export async function uploadOf(
  file: string,
  media: Required<MediaOptions> | null,
): Promise<Upload | { problem: string }> {
  const name = path.basename(file);
  const refused = (why: string) => ({ problem: `${name} was not sent: ${why}` });
  if (!media) return refused("sending files is not set up");
  try {
    // Links are followed first: what counts is where it really lies.
    const real = await fs.realpath(path.resolve(media.home, file));
    if (!(await isAllowed(real, media))) return refused("it lies outside the allowed folders");
    const { size, isFile } = await sizeOf(real);
    if (!isFile || size === 0) return refused("it is no file with content");
    if (size > media.maxUploadBytes)
      return refused(`it is larger than ${megabytes(media.maxUploadBytes)} MB`);
    return { path: real, name, method: methodFor(await headOf(real), size) };
  } catch {
    return refused("it can't be read");
  }
}

async function isAllowed(real: string, media: MediaOptions): Promise<boolean> {
  const folders = await Promise.all(
    media.allowedFolders.map((folder) =>
      fs.realpath(path.resolve(media.home, folder)).catch(() => undefined),
    ),
  );
  return folders.some((folder) => folder !== undefined && real.startsWith(folder + path.sep));
}

async function sizeOf(file: string): Promise<{ size: number; isFile: boolean }> {
  const stat = await fs.stat(file);
  return { size: stat.size, isFile: stat.isFile() };
}

async function headOf(file: string): Promise<Buffer> {
  const handle = await fs.open(file, "r");
  try {
    const head = Buffer.alloc(SNIFFED_BYTES);
    const { bytesRead } = await handle.read(head, 0, SNIFFED_BYTES, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function methodFor(head: Buffer, bytes: number): UploadMethod {
  const method = METHODS[sniff(head)?.mimeType ?? ""] ?? "sendDocument";
  return method === "sendPhoto" && bytes > LARGEST_PHOTO_BYTES ? "sendDocument" : method;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
