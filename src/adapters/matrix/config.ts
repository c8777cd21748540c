/** Options of the Matrix adapter and their defaults. */
import type { BackoffLimits } from "../../backoff.js";
import { HermesError } from "../../errors.js";
import type { IncomingMedia } from "../../media/incoming.js";
import type { InboundMessage } from "../../message.js";
import { withoutTrailing } from "../../trailing.js";
import type { PlatformLog } from "../platform.js";

export interface MatrixOptions {
  /** The bot's access token. */
  token: string;
  /** The homeserver's address. */
  apiUrl: string;
  /** Identifies this bot in the inbox and the outbox. Must not change. */
  account?: string;
  /** Answer a message of a room in a thread below it. */
  replyInThread?: boolean;
  replyToMode?: "first" | "all" | "off";
  sendReadReceipts?: boolean;
  /** Words after `!` that are commands. */
  commands?: readonly string[];
  /** Whether a message like this would be answered: for invitations and read receipts. */
  isWanted?(message: InboundMessage): Promise<boolean>;
  /** If missing, files are mentioned in messages but neither fetched nor sent. */
  media?: IncomingMedia | undefined;
  /** Never gets the token. */
  log?: PlatformLog;
  timing?: Partial<Timing>;
}

export interface Timing {
  /** How long the server holds a sync without news. */
  pollMs: number;
  /** A sync that lasts this much longer is dead. */
  pollGraceMs: number;
  callMs: number;
  uploadMs: number;
  downloadMs: number;
  backoff: BackoffLimits;
  /** Delay between attempts with a token that was refused. */
  refusedMs: number;
  /** How long `connect` waits before it continues in the background. */
  patienceMs: number;
}

const DEFAULT_TIMING: Timing = {
  pollMs: 30_000,
  pollGraceMs: 15_000,
  callMs: 20_000,
  uploadMs: 55_000,
  downloadMs: 60_000,
  backoff: { firstMs: 500, maxMs: 30_000 },
  refusedMs: 300_000,
  patienceMs: 15_000,
};

/** Servers allow 50 MB by default; the whole file is in memory while it is sent. */
export const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;

export interface Settings extends Required<Omit<MatrixOptions, "timing" | "media" | "commands">> {
  media: IncomingMedia | undefined;
  commands: ReadonlySet<string>;
  timing: Timing;
}

export function settingsOf(options: MatrixOptions): Settings {
  if (!URL.canParse(options.apiUrl))
    throw new HermesError("invalid", "The address of the Matrix homeserver can't be read", {
      hint: "Set MATRIX_HOMESERVER to an address such as https://matrix.example.org.",
    });
  return {
    token: options.token,
    apiUrl: withoutTrailing(options.apiUrl, "/"),
    account: options.account ?? "matrix",
    replyInThread: options.replyInThread ?? true,
    replyToMode: options.replyToMode ?? "first",
    sendReadReceipts: options.sendReadReceipts ?? true,
    commands: new Set(options.commands ?? []),
    isWanted: options.isWanted ?? (async () => false),
    media: options.media,
    log: options.log ?? (() => undefined),
    timing: { ...DEFAULT_TIMING, ...options.timing },
  };
}
