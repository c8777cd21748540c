/** Incoming files, downloaded from Slack with the bot token. */
import { type IncomingMedia, MediaProblem } from "../../media/incoming.js";
import type { Attachment, InboundMessage } from "../../message.js";
import { MediaDownloads, type RemoteFile } from "../kit/media-download.js";
import type { SlackApi } from "./api.js";
import type { Settings } from "./config.js";
import { attachmentOf } from "./normalise.js";
import type { SlackFile } from "./payloads.js";

export class Files {
  readonly #settings: Settings;
  readonly #api: SlackApi;
  readonly #media: IncomingMedia | undefined;
  readonly #downloads: MediaDownloads | undefined;

  constructor(settings: Settings, api: SlackApi) {
    this.#settings = settings;
    this.#api = api;
    this.#media = settings.media;
    this.#downloads =
      settings.media &&
      new MediaDownloads({
        label: "Slack",
        media: settings.media,
        timeoutMs: settings.timing.downloadMs,
        isOwn: (url) => isSlackUrl(url, settings.apiUrl),
      });
  }

  /** The message's attachments with their paths or problems. Rejects if access to it can't be decided yet. */
  async fetch(
    message: InboundMessage,
    files: readonly SlackFile[],
    signal: AbortSignal,
  ): Promise<Attachment[]> {
    if (!this.#downloads || files.length === 0) return message.attachments;
    const remote = (await this.#complete(message, files)).map((file) => this.#remote(file));
    const fetched = await this.#downloads.fetchAll(message, remote, signal);
    // Slack's own voice recordings are video files without a picture.
    return fetched.map((file, i) =>
      remote[i]!.attachment.kind === "audio" ? { ...file, kind: "audio" } : file,
    );
  }

  /** For files of other workspaces the event has only the id. */
  async #complete(message: InboundMessage, files: readonly SlackFile[]): Promise<readonly SlackFile[]> {
    const isPartial = files.some(({ file_access: access }) => access === "check_file_info");
    if (!isPartial || !(await this.#media!.mayFetch(message))) return files;
    return await Promise.all(files.map((file) => this.#info(file)));
  }

  async #info(file: SlackFile): Promise<SlackFile> {
    if (file.file_access !== "check_file_info" || !file.id) return file;
    try {
      const options = { timeoutMs: this.#settings.timing.lookUpMs };
      const args = { file: file.id };
      return (await this.#api.call<{ file?: SlackFile }>("files.info", args, options)).file ?? file;
    } catch {
      // The download then reports that the file has no address.
      return file;
    }
  }

  #remote(file: SlackFile): RemoteFile {
    const headers = { authorization: `Bearer ${this.#settings.token}` };
    const check = (response: Response) => checkLogin(response, file);
    const url = file.url_private_download ?? file.url_private ?? "";
    return { attachment: attachmentOf(file), locate: () => ({ url, headers, check }) };
  }
}

function isSlackUrl(url: URL, apiUrl: string): boolean {
  if (url.origin === new URL(apiUrl).origin) return true;
  return url.protocol === "https:" && /(^|\.)slack(-files)?\.com$/.test(url.hostname);
}

/** Without the scope, Slack answers with its login page. */
function checkLogin(response: Response, file: SlackFile): void {
  const html = response.headers.get("content-type")?.startsWith("text/html") ?? false;
  if (html && !(file.mimetype ?? "").includes("html"))
    throw new MediaProblem("The Slack app lacks the scope files:read: add it and reinstall the app");
}
