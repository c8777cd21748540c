/** What the Discord adapter is told, and what it assumes where it isn't. */
import type { IncomingMedia } from "../../media/incoming.js";
import { withoutTrailing } from "../../trailing.js";

export interface DiscordOptions {
  token: string;
  /** Address of the REST API, without the version. */
  apiUrl?: string;
  /** The bot's own id; left out: as the token says. */
  account?: string;
  /** Which parts of an answer quote the question. */
  replyToMode?: "first" | "all" | "off";
  /** Answer a channel message in a thread of its own. */
  replyInThread?: boolean;
  /** What the caller puts behind an unfinished answer: by it such an answer is known again. */
  streamCursor?: string;
  /** Roles decide who may talk: they are asked for where a message doesn't tell them. */
  rolesMatter?: boolean;
  /** Of messages missed for longer no more is read than a page; 0: never catch up. */
  catchUpMaxAgeSeconds?: number;
  media?: IncomingMedia;
  log?: DiscordLog;
  timing?: Partial<DiscordTiming>;
}

export type DiscordLog = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

export interface DiscordTiming {
  requestTimeoutMs: number;
  downloadTimeoutMs: number;
  /** For HELLO and for the handshake. */
  helloTimeoutMs: number;
  /** The first pause before a reconnect; it doubles. The SDK adds half a second. */
  reconnectBaseMs: number;
  reconnectCapMs: number;
  /** The least time between two IDENTIFYs. */
  identifyEveryMs: number;
  /** Pause before a message is offered to the inbox again. */
  receiveRetryMs: number;
  /** How often the place to resume from is written down. */
  saveSessionMs: number;
  /** Catching up begins so much earlier than the last proof that all was well: events may overtake one another. */
  overlapMs: number;
}

export type Settings = Required<Omit<DiscordOptions, "media" | "timing" | "account">> & {
  media: IncomingMedia | null;
  timing: DiscordTiming;
};

const TIMING: DiscordTiming = {
  requestTimeoutMs: 15_000,
  downloadTimeoutMs: 60_000,
  helloTimeoutMs: 30_000,
  reconnectBaseMs: 1000,
  reconnectCapMs: 60_000,
  identifyEveryMs: 5000,
  receiveRetryMs: 1000,
  saveSessionMs: 1000,
  overlapMs: 10_000,
};

/** What a server without boosts takes. */
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
    timing: { ...TIMING, ...options.timing },
  };
}
