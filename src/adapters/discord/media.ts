/** Files in: fetched with a limit, their type sniffed, under a name of our own. Files out: from allowed folders only. */
import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { SendError } from "../../errors.js";
import { checkSize, download, type Fetched, MediaProblem, NOT_FETCHED } from "../../media/incoming.js";
import type { Attachment, InboundMessage } from "../../message.js";
import type { MediaOptions } from "./config.js";

const DISCORD_FILES = ["https://cdn.discordapp.com", "https://media.discordapp.net"];

export class Media {
  readonly #options: Required<MediaOptions>;
  readonly #origins: readonly string[];
  readonly #timeoutMs: number;

  constructor(options: Required<MediaOptions>, apiUrl: string, timeoutMs: number) {
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

  /** A file to send. Links are followed first: one in an allowed folder may point out of it. */
  async read(file: string): Promise<{ name: string; data: Buffer }> {
    const real = await realpath(path.resolve(this.#options.home, file)).catch(() => undefined);
    if (real === undefined) throw new SendError("refused", `The file ${path.basename(file)} is not there.`);
    if (!(await this.#isAllowed(real))) {
      throw new SendError("refused", `The file ${path.basename(file)} is not in a folder to send from.`);
    }
    const { size } = await stat(real);
    if (size > this.#options.maxUploadBytes) {
      throw new SendError("refused", `The file ${path.basename(file)} is too large for Discord.`);
    }
    return { name: path.basename(file), data: await readFile(real) };
  }

  async #isAllowed(real: string): Promise<boolean> {
    for (const folder of this.#options.allowedFolders) {
      const root = await realpath(path.resolve(this.#options.home, folder)).catch(() => undefined);
      if (root !== undefined && real.startsWith(root + path.sep)) return true;
    }
    return false;
  }
}
