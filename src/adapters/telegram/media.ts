/** Files in, fetched by us; files out, each by the call that shows it best. */
import path from "node:path";
import PQueue from "p-queue";
import type { IncomingMedia } from "../../media/incoming.js";
import { checkSize, download, type Fetched, MediaProblem } from "../../media/incoming.js";
import type { Attachment, OutboundFile } from "../../message.js";
import { asSignal, type TelegramApi } from "./api.js";
import type { Settings } from "./config.js";
import { says } from "./faults.js";
import type { RemoteFile } from "./files.js";

const AT_ONCE = 4;

export class Downloads {
  readonly #settings: Settings;
  readonly #media: IncomingMedia;
  readonly #queue = new PQueue({ concurrency: AT_ONCE });

  constructor(settings: Settings, media: IncomingMedia) {
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
  "audio/x-m4a": "sendAudio",
  "audio/ogg": "sendVoice",
};
/** Larger pictures go as files. */
const LARGEST_PHOTO_BYTES = 10 * 1024 * 1024;

export function methodFor({ mimeType, bytes, as }: OutboundFile): UploadMethod {
  const method = as === "document" ? undefined : METHODS[mimeType.split(";", 1)[0]!];
  if (method === "sendAudio" && as === "voice") return "sendVoice";
  return method === undefined || (method === "sendPhoto" && bytes > LARGEST_PHOTO_BYTES)
    ? "sendDocument"
    : method;
}
