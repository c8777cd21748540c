/** A message's attachments → files in the home, or why they couldn't be fetched. */
import net from "node:net";
import PQueue from "p-queue";
import type { Agent } from "undici";
import {
  checkSize,
  download,
  type Fetched,
  type IncomingMedia,
  keepFile,
  MediaProblem,
  NOT_FETCHED,
} from "../../media/incoming.js";
import type { Attachment, InboundMessage } from "../../message.js";
import { guardedLookup, isPrivateAddress } from "../../public-address.js";
import { unlessAborted, withSignal } from "../../timeout.js";

export type MediaSource =
  /** Headers are only sent to the platform's own servers. `check` throws if the response isn't the file. */
  | { url: string; headers?: Record<string, string>; check?(response: Response): void }
  /** For platforms whose API returns the bytes. */
  | { body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> };

export interface RemoteFile {
  attachment: Attachment;
  /** May ask the platform where the file is. Throws a MediaProblem if the user should see why it is unavailable. */
  locate(signal: AbortSignal): MediaSource | Promise<MediaSource>;
}

export interface DownloadOptions {
  /** The platform's display name. */
  label: string;
  media: IncomingMedia;
  /** Timeout per file, from locating it to its last byte. */
  timeoutMs: number;
  /** The platform's own servers, which the operator trusts. */
  isOwn(url: URL): boolean;
  /** Also fetch from other public https addresses, without headers. Private addresses are refused. */
  allowPublic?: boolean;
  maxRedirects?: number;
}

const CONCURRENCY = 4;

export class MediaDownloads {
  readonly #options: DownloadOptions;
  readonly #queue = new PQueue({ concurrency: CONCURRENCY });

  constructor(options: DownloadOptions) {
    this.#options = options;
  }

  /** Rejects only if the signal aborts or access to the message can't be decided yet. */
  async fetchAll(
    message: InboundMessage,
    files: readonly RemoteFile[],
    signal: AbortSignal,
  ): Promise<Attachment[]> {
    if (files.length === 0) return [];
    if (!(await this.#options.media.mayFetch(message)))
      return files.map(({ attachment }) => ({ ...attachment, problem: NOT_FETCHED }));
    return Promise.all(files.map((file) => this.#fetch(file, signal)));
  }

  async #fetch(file: RemoteFile, signal: AbortSignal): Promise<Attachment> {
    try {
      return { ...file.attachment, ...(await this.#queue.add(() => this.#download(file, signal))) };
    } catch (error) {
      signal.throwIfAborted();
      const problem = error instanceof MediaProblem ? error.message : "It could not be fetched";
      return { ...file.attachment, problem };
    }
  }

  async #download({ attachment, locate }: RemoteFile, signal: AbortSignal): Promise<Fetched> {
    signal.throwIfAborted();
    const { media, timeoutMs } = this.#options;
    checkSize(attachment.bytes ?? 0, media.maxBytes);
    const work = async (limited: AbortSignal): Promise<Fetched> => {
      const source = await locate(limited);
      if ("body" in source) return keepFile(source.body, media, attachment.mimeType);
      const { url, headers, check } = source;
      const request = { url, declared: attachment.mimeType, timeoutMs, signal: limited };
      return download(
        { ...request, fetch: () => this.#request(url, headers, limited), ...(check && { check }) },
        media,
      );
    };
    return withSignal({ signals: [signal], ms: timeoutMs }, (limited) =>
      unlessAborted(work(limited), limited),
    );
  }

  async #request(
    address: string,
    headers: Record<string, string> | undefined,
    signal: AbortSignal,
  ): Promise<Response> {
    const { maxRedirects = 0 } = this.#options;
    let url = this.#checked(address);
    for (let redirects = 0; ; redirects++) {
      const response = await this.#requestOnce(url, headers, signal);
      const location = response.headers.get("location");
      if (location === null || response.status < 300 || response.status >= 400) return response;
      await response.body?.cancel();
      if (redirects >= maxRedirects) throw new MediaProblem("It redirects to another address");
      url = this.#checked(location, url);
    }
  }

  #requestOnce(
    url: URL,
    headers: Record<string, string> | undefined,
    signal: AbortSignal,
  ): Promise<Response> {
    if (this.#options.isOwn(url)) return fetch(url, { headers: headers ?? {}, redirect: "manual", signal });
    return fetchPublic(url, signal);
  }

  #checked(address: string, base?: URL): URL {
    const { label, isOwn, allowPublic } = this.#options;
    const url = URL.canParse(address, base?.href) ? new URL(address, base) : undefined;
    if (!url || !(isOwn(url) || (allowPublic && isPublic(url))))
      throw new MediaProblem(`It is not on ${label}'s servers`);
    return url;
  }
}

let publicAgent: Agent | undefined;

/** Connects only if the resolved address is public. Connections aren't reused. */
async function fetchPublic(url: URL, signal: AbortSignal): Promise<Response> {
  const { Agent, fetch } = await import("undici");
  publicAgent ??= new Agent({ pipelining: 0, connect: { lookup: guardedLookup(false) } });
  const response = await fetch(url, { redirect: "manual", signal, dispatcher: publicAgent });
  return response as unknown as Response;
}

/** A first check, without a DNS lookup. */
function isPublic(url: URL): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (url.protocol !== "https:" || url.username !== "" || url.password !== "") return false;
  return net.isIP(host) === 0 ? host !== "localhost" : !isPrivateAddress(host);
}
