/** The adapter's options and their defaults. */
import type { BackoffLimits } from "../../backoff.js";
import type { IncomingMedia } from "../../media/incoming.js";

export interface SlackOptions {
  /** The bot's token, xoxb-… */
  token: string;
  /** The app-level token, xapp-…, for Socket Mode. Without it, events come over HTTP. */
  appToken?: string | undefined;
  /** Verifies HTTP requests; required without an app token. */
  signingSecret?: string | undefined;
  apiUrl?: string;
  /** Identifies this bot in the inbox and the outbox. Must not change. */
  account?: string;
  /** Answer a top-level message of a channel in a thread. */
  replyInThread?: boolean;
  /** A top-level direct message starts a new session. */
  dmTopLevelThreadsAsSessions?: boolean;
  /** The slash command whose text is the command: `/hermes status` means `/status`. */
  slashCommand?: string;
  /** Older missed messages are stored without names and files; 0 disables catching up. */
  catchUpMaxAgeSeconds?: number;
  /** If undefined, files are listed in messages, but neither downloaded nor sent. */
  media?: IncomingMedia | undefined;
  /** `native`: Slack's streaming methods, in threads; `edit`: edits of the message. */
  streaming?: "native" | "edit";
  /** The caller's suffix of an unfinished answer. Streams omit it, because they can't remove text. */
  streamCursor?: string;
  log?: SlackLog;
  timing?: Partial<Timing>;
}

export type SlackLog = (
  level: "debug" | "info" | "warn" | "error",
  text: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

export interface Timing {
  /** Limit of one Web API call. */
  callMs: number;
  /** Limit of lookups of names and threads. Two in a row must fit into Slack's three seconds. */
  lookUpMs: number;
  downloadMs: number;
  /** Slack may still process an abandoned request within this time. */
  settleMs: number;
  /** Limit for the answer to a ping. */
  pingMs: number;
  /** Limit from requesting a socket to Slack's hello. */
  helloMs: number;
  reconnectMs: number;
  reconnectMaxMs: number;
  /** After a socket that stayed open this long, reconnect at once. */
  stableMs: number;
  /** Delay after an error that only the operator can fix. */
  hopelessMs: number;
  /** How long `connect` waits before it continues in the background. */
  patienceMs: number;
  /** How long opening a socket waits for missed messages; the rest is fetched in the background. */
  catchUpMs: number;
  /** Fetch missed messages after a longer time without a socket. */
  gapMs: number;
  /** Interval of auth.test calls in HTTP mode. */
  probeMs: number;
  typingMs: number;
  closeMs: number;
}

const DEFAULT_TIMING: Timing = {
  callMs: 15_000,
  lookUpMs: 1200,
  downloadMs: 60_000,
  settleMs: 3000,
  pingMs: 5000,
  helloMs: 15_000,
  reconnectMs: 1000,
  reconnectMaxMs: 60_000,
  stableMs: 10_000,
  hopelessMs: 300_000,
  patienceMs: 15_000,
  catchUpMs: 20_000,
  gapMs: 30_000,
  probeMs: 60_000,
  typingMs: 2000,
  closeMs: 500,
};

/** Slack allows more, but the whole file is in memory while it is sent. */
export const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;

export type Settings = Required<Omit<SlackOptions, "appToken" | "signingSecret" | "timing" | "media">> & {
  media: IncomingMedia | undefined;
  appToken: string | undefined;
  signingSecret: string | undefined;
  timing: Timing;
  backoff: BackoffLimits;
};

export function settingsOf(options: SlackOptions): Settings {
  const { appToken, signingSecret, media, ...rest } = options;
  const timing = { ...DEFAULT_TIMING, ...options.timing };
  return {
    apiUrl: "https://slack.com/api/",
    account: "slack",
    replyInThread: true,
    dmTopLevelThreadsAsSessions: true,
    slashCommand: "/hermes",
    catchUpMaxAgeSeconds: 86_400,
    streaming: "native",
    streamCursor: " ▉",
    log: () => undefined,
    ...rest,
    media,
    appToken,
    signingSecret,
    timing,
    backoff: { firstMs: timing.reconnectMs, maxMs: timing.reconnectMaxMs },
  };
}
