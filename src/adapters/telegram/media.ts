/** Files in and out: fetched into one folder under names of our own, sent from allowed folders alone. */
import fs from "node:fs/promises";
import path from "node:path";
import PQueue from "p-queue";
import { checkSize, download, type Fetched, MediaProblem, megabytes } from "../../media/incoming.js";
import { sniff } from "../../media/sniff.js";
import type { Attachment } from "../../message.js";
import { asSignal, type TelegramApi } from "./api.js";
import type { MediaOptions, Settings } from "./config.js";
import { says } from "./faults.js";
import type { RemoteFile } from "./files.js";

const AT_ONCE = 4;

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
      const problem = error instanceof MediaProblem ? error.message : "It could not be fetched";
      return { ...file.attachment, problem };
    }
  }

  async #fetch({ fileId, attachment }: RemoteFile, api: TelegramApi, signal: AbortSignal): Promise<Fetched> {
    const { apiRoot, token, timing } = this.#settings;
    checkSize(attachment.bytes ?? 0, this.#media.maxBytes);
    const remotePath = await this.#remotePath(fileId, api, signal);
    const url = `${apiRoot}/file/bot${token}/${remotePath.split("/").map(encodeURIComponent).join("/")}`;
    const request = { url, declared: attachment.mimeType, timeoutMs: timing.downloadMs, signal };
    return download(request, this.#media);
  }

  async #remotePath(fileId: string, api: TelegramApi, signal: AbortSignal): Promise<string> {
    const { file_path } = await api.call.getFile(fileId, asSignal(signal)).catch((error: unknown) => {
      if (says(error, "file is too big")) throw new MediaProblem("It is too large for Telegram's server");
      throw error;
    });
    // A local server names a file of its own disk: not ours to open.
    if (!file_path || path.isAbsolute(file_path) || file_path.split("/").includes(".."))
      throw new MediaProblem("The server names no file that can be fetched");
    return file_path;
  }
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
    return { path: real, name, method: methodFor((await sniff(real)).mimeType, size) };
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

function methodFor(mimeType: string, bytes: number): UploadMethod {
  const method = METHODS[mimeType] ?? "sendDocument";
  return method === "sendPhoto" && bytes > LARGEST_PHOTO_BYTES ? "sendDocument" : method;
}
