/** Files that come in: fetched from Discord and from nowhere else. */
import {
  checkSize,
  download,
  type Fetched,
  type IncomingMedia,
  MediaProblem,
  NOT_FETCHED,
} from "../../media/incoming.js";
import type { Attachment, InboundMessage } from "../../message.js";

const DISCORD_FILES = ["https://cdn.discordapp.com", "https://media.discordapp.net"];

export class Media {
  readonly #options: IncomingMedia;
  readonly #origins: readonly string[];
  readonly #timeoutMs: number;

  constructor(options: IncomingMedia, apiUrl: string, timeoutMs: number) {
    this.#options = options;
    // A stand-in for Discord keeps its files itself.
    this.#origins = [...DISCORD_FILES, new URL(apiUrl).origin];
    this.#timeoutMs = timeoutMs;
  }

  /** The message's attachments with their paths, or with the problem. Rejects when nobody can tell whether they are wanted. */
  async fetch(message: InboundMessage, urls: readonly string[], signal: AbortSignal): Promise<Attachment[]> {
    const { attachments } = message;
    if (attachments.length === 0) return [];
    if (!(await this.#options.mayFetch(message)))
      return attachments.map((attachment) => ({ ...attachment, problem: NOT_FETCHED }));
    return Promise.all(
      attachments.map(async (attachment, i) => {
        try {
          return { ...attachment, ...(await this.#download(urls[i]!, attachment, signal)) };
        } catch (error) {
          signal.throwIfAborted();
          const problem = error instanceof MediaProblem ? error.message : "It could not be fetched";
          return { ...attachment, problem };
        }
      }),
    );
  }

  async #download(url: string, attachment: Attachment, signal: AbortSignal): Promise<Fetched> {
    checkSize(attachment.bytes ?? 0, this.#options.maxBytes);
    if (!URL.canParse(url) || !this.#origins.includes(new URL(url).origin))
      throw new MediaProblem("It lies outside of Discord");
    const request = { url, declared: attachment.mimeType, timeoutMs: this.#timeoutMs, signal };
    return download(request, this.#options);
  }
}
