/** Files in: fetched with a limit, their type sniffed, under a name of our own. Files out: from allowed folders only. */
import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { SendError } from "../../errors.js";
import type { Attachment } from "../../message.js";
import type { MediaOptions } from "./config.js";
import { kindOf } from "./normalise.js";
import { extensionOf, sniff } from "./sniff.js";

const DISCORD_FILES = ["https://cdn.discordapp.com", "https://media.discordapp.net"];
const SNIFF_BYTES = 64;

export interface Download {
  url: string;
  attachment: Attachment;
}

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

  /** The attachment with its path, or with the problem. Never rejects, except when told to stop. */
  async fetch({ url, attachment }: Download, signal: AbortSignal): Promise<Attachment> {
    if ((attachment.bytes ?? 0) > this.#options.maxBytes) return { ...attachment, problem: this.#tooLarge() };
    const file = path.join(this.#options.folder, randomBytes(16).toString("hex"));
    try {
      return { ...attachment, ...(await this.#download(url, file, signal)) };
    } catch (error) {
      signal.throwIfAborted();
      const problem = error instanceof Error ? error.message : String(error);
      return { ...attachment, problem: `Could not be fetched: ${problem}` };
    }
  }

  async #download(url: string, file: string, signal: AbortSignal): Promise<Partial<Attachment>> {
    if (!this.#origins.includes(new URL(url).origin)) throw new Error("not an address of Discord's");
    const stop = AbortSignal.any([signal, AbortSignal.timeout(this.#timeoutMs)]);
    const response = await fetch(url, { redirect: "error", signal: stop });
    if (!response.ok || !response.body) throw new Error(`Discord answered ${response.status}`);
    const { bytes, head } = await this.#write(response.body, file);
    const mimeType = sniff(head, response.headers.get("content-type") ?? undefined);
    const named = `${file}${extensionOf(mimeType)}`;
    await rename(file, named);
    return { path: named, bytes, mimeType, kind: kindOf(mimeType) };
  }

  async #write(body: AsyncIterable<Uint8Array>, file: string): Promise<{ bytes: number; head: Buffer }> {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(file, "wx", 0o600);
    let bytes = 0;
    let head = Buffer.alloc(0);
    try {
      for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > this.#options.maxBytes) throw new Error(this.#tooLarge());
        if (head.length < SNIFF_BYTES) head = Buffer.concat([head, chunk]).subarray(0, SNIFF_BYTES);
        await handle.write(chunk);
      }
      return { bytes, head };
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
  }

  #tooLarge(): string {
    return `larger than ${Math.floor(this.#options.maxBytes / 1024 / 1024)} MB`;
  }

  /** A file to send. Links are followed first: one in an allowed folder may point out of it. */
  async read(file: string): Promise<{ name: string; data: Buffer }> {
    const real = await realpath(path.resolve(this.#options.folder, file)).catch(() => undefined);
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
    for (const folder of [this.#options.folder, ...this.#options.allowedFolders]) {
      const root = await realpath(folder).catch(() => undefined);
      if (root !== undefined && real.startsWith(root + path.sep)) return true;
    }
    return false;
  }
}
