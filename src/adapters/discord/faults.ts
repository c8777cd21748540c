/** What went wrong, as the SDK tells it → what it means for a send, and a sentence that says what to do. */
import { HermesError, SendError } from "../../errors.js";
import { neverConnected } from "../never-connected.js";

/** The fields of the SDK's errors, which are classes that only the SDK can name. */
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

/** Codes with which the gateway closes for good. */
const FINAL_CLOSES: Readonly<Record<number, string>> = {
  4004: BAD_TOKEN,
  4010: "Discord refuses the shard. Run one gateway for this token.",
  4011: "Discord wants this bot to be sharded, and it isn't: it is in too many servers for one connection.",
  4012: "Discord doesn't speak this version of its API any more. Update Hermes Gateway.",
  4013: "Discord doesn't know the intents that were asked for. Update Hermes Gateway.",
  4014: MISSING_INTENTS,
};

export function finalClose(code: number): string | undefined {
  return FINAL_CLOSES[code];
}

/** Discord's codes that a person can do something about. */
const ADVICE: Readonly<Record<number, string>> = {
  10003: "The channel is gone, or the bot can't see it.",
  10008: "The message is gone.",
  20016: "The channel is in slow mode.",
  20026: "Discord has marked the bot as a spammer: see its page in the developer portal.",
  40005: "The file is too large for Discord.",
  50001: "The bot may not see this channel: give its role View Channel.",
  50006: "There was nothing to send.",
  50007: "This user doesn't take direct messages from the bot.",
  50013:
    "The bot may not write here: give its role Send Messages (in threads: Send Messages in Threads; to open them: Create Public Threads; for files: Attach Files).",
  50035: "Discord refuses the message's form.",
  50083: "The thread is archived.",
  160005: "The thread is locked.",
};

/** Only a person can help: the answers wait meanwhile. */
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
  if (neverConnected(native)) {
    return new SendError("never_sent", "Discord can't be reached", { scope: "account", cause: native });
  }
  return new SendError("unknown", `The connection to Discord broke: ${native.message}`, { cause: native });
}

function isRateLimit(error: NativeError): boolean {
  return error.name.startsWith("RateLimitError") && error.retryAfter !== undefined;
}

function waitError({ retryAfter = 0, timeToReset = 0, global, scope }: NativeError): SendError {
  const whole = global === true || scope === "global";
  return new SendError("never_sent", "Discord asks us to wait", {
    retryAfterMs: Math.ceil(Math.max(retryAfter, timeToReset, 0)),
    scope: whole ? "account" : "chat",
  });
}

/** The time for the answer to a command is over; the bot's own token is well. */
export const INVALID_WEBHOOK_TOKEN = 50027;

/** After a 401 the SDK throws its token away and complains about its absence. */
export function isBadToken(error: unknown): boolean {
  const native = error as NativeError;
  if (native?.code === INVALID_WEBHOOK_TOKEN) return false;
  return native?.status === 401 || /Expected token to be set/.test(native?.message ?? "");
}

export function discordCode(error: unknown): number | undefined {
  const native = error as NativeError;
  return native?.rawError && typeof native.code === "number" ? native.code : undefined;
}

/** Asking again would give the same answer. */
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
