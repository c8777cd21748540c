/** Options of the Mattermost adapter and their defaults. */
import type { BackoffLimits } from "../../backoff.js";
import { HermesError } from "../../errors.js";
import type { IncomingMedia } from "../../media/incoming.js";
import { withoutTrailing } from "../../trailing.js";
import type { PlatformLog } from "../platform.js";

export interface MattermostOptions {
  token: string;
  /** The server's address, without `/api/v4`. */
  apiUrl: string;
  /** Identifies this bot in the inbox and the outbox. Must not change. */
  account?: string;
  /** Answer a post of a channel in a thread below it. */
  replyInThread?: boolean;
  /** Missed posts that are older aren't read; 0 disables catching up. */
  catchUpMaxAgeSeconds?: number;
  /** Words after `!` that are commands. */
  commands?: readonly string[];
  /** Where the server reaches our HTTP port; left out: no buttons and no native commands. */
  callbackUrl?: string | undefined;
  /** The path there. */
  callbackPath?: string;
  /** Tokens of slash commands that an administrator made. */
  commandTokens?: readonly string[];
  /** If missing, files are mentioned in messages but neither fetched nor sent. */
  media?: IncomingMedia | undefined;
  /** Never gets the token. */
  log?: PlatformLog;
  timing?: Partial<Timing>;
}

export interface Timing {
  callMs: number;
  uploadMs: number;
  downloadMs: number;
  /** From opening a socket to the server's hello. */
  helloMs: number;
  /** Silence before the server is pinged. */
  pingMs: number;
  /** A socket that stayed open this long counts as good. */
  stableMs: number;
  closeMs: number;
  backoff: BackoffLimits;
  /** Delay after the inbox refused a message. */
  receiveRetry: BackoffLimits;
  /** Delay between attempts with a token that was refused. */
  refusedMs: number;
  /** How long `connect` waits before it continues in the background. */
  patienceMs: number;
  /** Between two readings of all channels while the socket is open. */
  sweepMs: number;
  /** How far before its cursor a channel is read: pushes may come in another order. */
  overlapMs: number;
}

const DEFAULT_TIMING: Timing = {
  callMs: 15_000,
  uploadMs: 55_000,
  downloadMs: 60_000,
  helloMs: 15_000,
  pingMs: 30_000,
  stableMs: 10_000,
  closeMs: 500,
  backoff: { firstMs: 1000, maxMs: 60_000 },
  receiveRetry: { firstMs: 200, maxMs: 30_000 },
  refusedMs: 300_000,
  patienceMs: 15_000,
  sweepMs: 60_000,
  overlapMs: 30_000,
};

/** Servers allow 100 MB by default, but the whole file is in memory while it is sent. */
export const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;

export interface Settings
  extends Required<Omit<MattermostOptions, "timing" | "media" | "commands" | "callbackUrl">> {
  callbackUrl: string | null;
  media: IncomingMedia | undefined;
  commands: ReadonlySet<string>;
  timing: Timing;
}

export function settingsOf(options: MattermostOptions): Settings {
  if (!URL.canParse(options.apiUrl))
    throw new HermesError("invalid", "The address of the Mattermost server can't be read", {
      hint: "Set MATTERMOST_URL to an address such as https://chat.example.org.",
    });
  return {
    token: options.token,
    apiUrl: withoutTrailing(options.apiUrl, "/"),
    account: options.account ?? "mattermost",
    replyInThread: options.replyInThread ?? false,
    catchUpMaxAgeSeconds: options.catchUpMaxAgeSeconds ?? 86_400,
    callbackUrl: options.callbackUrl === undefined ? null : withoutTrailing(options.callbackUrl, "/"),
    callbackPath: withoutTrailing(options.callbackPath ?? "/webhooks/mattermost", "/"),
    commandTokens: options.commandTokens ?? [],
    commands: new Set(options.commands ?? []),
    media: options.media,
    log: options.log ?? (() => undefined),
    timing: { ...DEFAULT_TIMING, ...options.timing },
  };
}
