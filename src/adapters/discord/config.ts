/** Options of the Discord adapter and their defaults. */
import type { BackoffLimits } from "../../backoff.js";
import type { IncomingMedia } from "../../media/incoming.js";
import { withoutTrailing } from "../../trailing.js";

export interface DiscordOptions {
  token: string;
  /** Address of the REST API, without the version. */
  apiUrl?: string;
  /** The bot's own id; left out: taken from the token. */
  account?: string;
  /** Which parts of an answer quote the question. */
  replyToMode?: "first" | "all" | "off";
  /** Answer a channel message in its own thread. */
  replyInThread?: boolean;
  /** The mark at the end of an unfinished answer, by which such an answer is recognised. */
  streamCursor?: string;
  /** Access depends on roles: they are fetched when a message doesn't contain them. */
  rolesMatter?: boolean;
  /** Of messages missed for longer, at most one page is read; 0: never catch up. */
  catchUpMaxAgeSeconds?: number;
  media?: IncomingMedia;
  log?: DiscordLog;
  timing?: Partial<Timing>;
}

export type DiscordLog = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

export interface Timing {
  requestTimeoutMs: number;
  downloadTimeoutMs: number;
  /** For HELLO and for the handshake. */
  helloTimeoutMs: number;
  /** Before a reconnect. The SDK adds half a second. */
  reconnect: BackoffLimits;
  /** Minimum time between two IDENTIFYs. */
  identifyEveryMs: number;
  /** Before a message is offered to the inbox again. */
  receiveRetry: BackoffLimits;
  /** How often the state to resume from is saved. */
  saveSessionMs: number;
  /** Catching up begins this long before the checkpoint: events may arrive out of order. */
  overlapMs: number;
}

export type Settings = Required<Omit<DiscordOptions, "media" | "timing" | "account">> & {
  media: IncomingMedia | null;
  timing: Timing;
};

const DEFAULT_TIMING: Timing = {
  requestTimeoutMs: 15_000,
  downloadTimeoutMs: 60_000,
  helloTimeoutMs: 30_000,
  reconnect: { firstMs: 1000, maxMs: 60_000 },
  identifyEveryMs: 5000,
  receiveRetry: { firstMs: 1000, maxMs: 30_000 },
  saveSessionMs: 1000,
  overlapMs: 10_000,
};

/** The limit of a server without boosts. */
export const MAX_UPLOAD_BYTES = 10 * 1024 * 1024;

export function settingsOf(options: DiscordOptions): Settings {
  return {
    token: options.token.replace(/^(Bot|Bearer)\s+/i, "").trim(),
    apiUrl: withoutTrailing(options.apiUrl ?? "https://discord.com/api", "/"),
    replyToMode: options.replyToMode ?? "first",
    replyInThread: options.replyInThread ?? false,
    streamCursor: options.streamCursor ?? " ▉",
    rolesMatter: options.rolesMatter ?? false,
    catchUpMaxAgeSeconds: options.catchUpMaxAgeSeconds ?? 86_400,
    media: options.media ?? null,
    log: options.log ?? (() => {}),
    timing: { ...DEFAULT_TIMING, ...options.timing },
  };
}
