/** What the adapter can be told, with its defaults. */
import type { IncomingMedia } from "../../media/incoming.js";

export interface SlackOptions {
  /** The bot's token, xoxb-… */
  token: string;
  /** The app-level token, xapp-…: events come over Socket Mode. Without it they come over HTTP. */
  appToken?: string | undefined;
  /** Proves HTTP requests; required without an app token. */
  signingSecret?: string | undefined;
  apiUrl?: string;
  /** The name of this bot in the inbox and the outbox: never changes, tells several bots apart. */
  account?: string;
  /** A message at the top of a channel is answered in a thread of its own. */
  replyInThread?: boolean;
  /** A message at the top of a direct message begins a conversation of its own. */
  dmTopLevelThreadsAsSessions?: boolean;
  /** The slash command whose text is a command itself: `/hermes status` means `/status`. */
  slashCommand?: string;
  /** Messages missed for longer than this are not made ready for an answer; 0: never catch up. */
  catchUpMaxAgeSeconds?: number;
  /** Left out: files are named in messages, but neither fetched nor sent. */
  media?: IncomingMedia | undefined;
  /** `native`: Slack's streaming methods where there is a thread; `edit`: only edits. */
  streaming?: "native" | "edit";
  /** What the caller puts behind an unfinished answer: a stream can't take it back, so it is left out there. */
  streamCursor?: string;
  log?: SlackLog;
  times?: Partial<SlackTimes>;
}

export type SlackLog = (level: "debug" | "info" | "warn" | "error", text: string) => void;

export interface SlackTimes {
  /** Any one call to the Web API. */
  callMs: number;
  /** Calls that only make a message nicer: names, threads. Two in a row must leave time for Slack's three seconds. */
  lookUpMs: number;
  downloadMs: number;
  /** A request that nobody waits for any longer may still be carried out within this time. */
  settleMs: number;
  /** Slack must answer a ping within this time. */
  pingMs: number;
  /** From the call for a socket to Slack's hello. */
  helloMs: number;
  reconnectMs: number;
  reconnectMaxMs: number;
  /** A socket that lived so long was a good one: its successor is opened at once. */
  stableMs: number;
  /** After a fault that only an operator can mend. */
  hopelessMs: number;
  /** How long `connect` waits for a network that isn't there. */
  patienceMs: number;
  /** How long the socket waits for what was missed; the rest is fetched beside it. */
  catchUpMs: number;
  /** A socket was away for longer than this: look for what was missed. */
  gapMs: number;
  /** HTTP mode: how often Slack is asked whether it knows us. */
  probeMs: number;
  typingMs: number;
  closeMs: number;
}

const DEFAULT_TIMES: SlackTimes = {
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

/** Slack takes more; all of it is in memory while it is sent. */
export const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;

export type SlackSettings = Required<Omit<SlackOptions, "appToken" | "signingSecret" | "times" | "media">> & {
  media: IncomingMedia | undefined;
  appToken: string | undefined;
  signingSecret: string | undefined;
  times: SlackTimes;
};

export function withDefaults(options: SlackOptions): SlackSettings {
  const { appToken, signingSecret, times, media, ...rest } = options;
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
    times: { ...DEFAULT_TIMES, ...times },
  };
}
