/** Telegram's errors → the outcome of a send, and advice. Never contains a token. */
import type { GrammyError } from "grammy";
import { HermesError, SendError } from "../../errors.js";
import { networkSendError } from "../kit/send-errors.js";

/** Recognised by name: the class itself comes with the SDK, which is loaded late. */
export function isApiError(error: unknown): error is GrammyError {
  return error instanceof Error && error.name === "GrammyError" && "error_code" in error;
}

export function mentions(error: unknown, ...words: string[]): boolean {
  if (!isApiError(error)) return false;
  const description = error.description.toLowerCase();
  return words.some((word) => description.includes(word.toLowerCase()));
}

export const cantParse = (error: unknown) => mentions(error, "can't parse entities");
export const notModified = (error: unknown) => mentions(error, "message is not modified");
export const noSuchThread = (error: unknown) => mentions(error, "message thread not found");
export const cantEdit = (error: unknown) =>
  mentions(error, "message to edit not found", "message can't be edited", "MESSAGE_ID_INVALID");
/** A malformed token gets a bare 404. */
export const isUnauthorized = (error: unknown) =>
  isApiError(error) && (error.error_code === 401 || error.description === "Not Found");

export function movedTo(error: unknown): string | undefined {
  const id = isApiError(error) ? error.parameters.migrate_to_chat_id : undefined;
  return id === undefined ? undefined : String(id);
}

export function retryAfterMs(error: unknown): number | undefined {
  if (!isApiError(error) || error.error_code !== 429) return undefined;
  return (error.parameters.retry_after ?? 1) * 1000;
}

export interface CallTraits {
  /** The call is idempotent, so an unknown outcome counts as not sent. */
  repeatable: boolean;
  /** What a 429 applies to. */
  scope?: "chat" | "account";
}

export function sendErrorOf(error: unknown, traits: CallTraits): SendError {
  if (isApiError(error)) return refusal(error, traits);
  return networkSendError(error, { label: "Telegram", repeatable: traits.repeatable });
}

function refusal(error: GrammyError, { repeatable, scope = "chat" }: CallTraits): SendError {
  const { error_code: code, description } = error;
  const waitMs = retryAfterMs(error);
  if (waitMs !== undefined) {
    const message = `Telegram asks to wait ${Math.ceil(waitMs / 1000)} s`;
    return new SendError("never_sent", message, { retryAfterMs: waitMs, scope });
  }
  if (isUnauthorized(error))
    return new SendError("never_sent", TOKEN_REFUSED, { retryAfterMs: 60_000, scope: "account" });
  if (code >= 500)
    return new SendError(repeatable ? "never_sent" : "unknown", `Telegram failed (${description})`);
  return new SendError("refused", `${description}${whatToDo(description)}`);
}

export const TOKEN_FAULT = "Telegram refuses the bot's token";
export const TOKEN_FIX = "Get a new one from @BotFather (/token) and set TELEGRAM_BOT_TOKEN";
export const TOKEN_REFUSED = `${TOKEN_FAULT}. ${TOKEN_FIX}`;
export const SECOND_POLLER =
  "Another program polls with this bot's token: stop it, or revoke the token with @BotFather (/revoke) if you can't find it";
export const WEBHOOK_ELSEWHERE =
  "Another program has set a webhook for this bot: stop it and restart the gateway, or set platforms.telegram.webhook";

/** For `connect`, where only another token helps. */
export function tokenRefused(): HermesError {
  return new HermesError("refused", TOKEN_FAULT, { hint: TOKEN_REFUSED });
}

const REMEDIES: readonly [RegExp, string][] = [
  [/blocked by the user/i, "the user has to unblock the bot, nothing can be sent until then"],
  [/user is deactivated/i, "the account is gone"],
  [/can't initiate conversation/i, "the user has to write to the bot first"],
  [/kicked|not a member/i, "add the bot to the chat again"],
  [/not enough rights|CHAT_WRITE_FORBIDDEN|have no rights/i, "give the bot the right to send messages there"],
  [/chat not found/i, "the chat is gone, or its id is wrong"],
  [/TOPIC_CLOSED/i, "open the topic again, or make the bot an admin"],
  [/thread not found|TOPIC_DELETED/i, "the topic was deleted"],
  [/too big|entity too large/i, "the file is too big for Telegram's server"],
];

function whatToDo(description: string): string {
  const remedy = REMEDIES.find(([pattern]) => pattern.test(description))?.[1];
  return remedy === undefined ? "" : ` (${remedy})`;
}
