/** The SDK's errors → the outcome of a send, and advice. */
import { RESTJSONErrorCodes } from "discord-api-types/v10";
import { HermesError, SendError } from "../../errors.js";
import { networkSendError } from "../kit/send-errors.js";

/** Fields of the SDK's error classes, which are loaded with the SDK. */
interface NativeError extends Error {
  code?: string | number;
  status?: number;
  rawError?: { message?: string; retry_after?: number };
  retryAfter?: number;
  timeToReset?: number;
  global?: boolean;
  scope?: string;
}

export const PORTAL = "https://discord.com/developers/applications";

export const BAD_TOKEN = `Discord refuses the bot's token. Make a new one at ${PORTAL} (Bot → Reset Token) and put it into DISCORD_BOT_TOKEN.`;
const MISSING_INTENTS = `Discord refuses the bot's intents. Switch on "Message Content Intent" at ${PORTAL} (Bot → Privileged Gateway Intents), then restart.`;

/** Close codes after which a reconnect is useless. */
const FINAL_CLOSES: Readonly<Record<number, string>> = {
  4004: BAD_TOKEN,
  4010: "Discord refuses the shard. Run one gateway for this token.",
  4011: "The bot is in too many servers for one connection: Discord requires sharding, which isn't supported.",
  4012: "Discord no longer supports this version of its API. Update Hermes Gateway.",
  4013: "Discord doesn't know the requested intents. Update Hermes Gateway.",
  4014: MISSING_INTENTS,
};

export function finalClose(code: number): string | undefined {
  return FINAL_CLOSES[code];
}

/** Error codes that a person can do something about. */
const ADVICE: Readonly<Record<number, string>> = {
  10003: "The channel is gone, or the bot can't see it.",
  10008: "The message is gone.",
  20016: "The channel is in slow mode.",
  20026: "Discord has marked the bot as a spammer: see its page in the developer portal.",
  40005: "The file is too large for Discord.",
  50001: "The bot may not see this channel: give its role View Channel.",
  50006: "There was nothing to send.",
  50007: "This user doesn't accept direct messages from the bot.",
  50013:
    "The bot may not write here: give its role Send Messages (in threads: Send Messages in Threads; to open them: Create Public Threads; for files: Attach Files).",
  50035: "Discord considers the message invalid.",
  50083: "The thread is archived.",
  160005: "The thread is locked.",
};

/** Delay between attempts while only the operator can fix it. */
const OPERATOR_MS = 60_000;

export function sendErrorOf(error: unknown): SendError {
  if (error instanceof SendError) return error;
  const native = (error instanceof Error ? error : new Error(String(error))) as NativeError;
  if (isRateLimit(native)) return waitError(native);
  if (isBadToken(native))
    return new SendError("never_sent", BAD_TOKEN, { scope: "account", retryAfterMs: OPERATOR_MS });
  if (native.rawError) return new SendError("refused", adviceFor(native), { cause: native });
  if (native.status !== undefined) {
    return new SendError("unknown", `Discord answered ${native.status}`, { cause: native });
  }
  return networkSendError(error, { label: "Discord", scope: "account" });
}

function isRateLimit(error: NativeError): boolean {
  return error.name.startsWith("RateLimitError") && error.retryAfter !== undefined;
}

function waitError({ retryAfter = 0, timeToReset = 0, global, scope }: NativeError): SendError {
  const isGlobal = global === true || scope === "global";
  return new SendError("never_sent", "Discord asks to wait", {
    retryAfterMs: Math.ceil(Math.max(retryAfter, timeToReset, 0)),
    scope: isGlobal ? "account" : "chat",
  });
}

/** The token of a command's answer has expired; the bot's own token is fine. */
const EXPIRED_COMMAND = RESTJSONErrorCodes.InvalidWebhookToken;

/** After a 401 the SDK drops its token and then fails because it has none. */
export function isBadToken(error: unknown): boolean {
  const native = error as NativeError;
  if (native?.code === EXPIRED_COMMAND) return false;
  return native?.status === 401 || /Expected token to be set/.test(native?.message ?? "");
}

export function discordCode(error: unknown): number | undefined {
  const native = error as NativeError;
  return native?.rawError && typeof native.code === "number" ? native.code : undefined;
}

/** A retry would get the same answer. */
export function isRefusal(error: unknown): boolean {
  const { status, rawError } = (error ?? {}) as NativeError;
  return rawError !== undefined && status !== undefined && status >= 400 && status < 500 && status !== 429;
}

function adviceFor(error: NativeError): string {
  const said = `Discord says "${error.message.split("\n").join("; ")}"`;
  const advice = typeof error.code === "number" ? ADVICE[error.code] : undefined;
  return advice === undefined ? `${said}.` : `${advice} (${said})`;
}

export function connectError(line: string): HermesError {
  return new HermesError("refused", line);
}
