/** What WhatsApp's codes mean, and what to do about them. */
import { HermesError, SendError } from "../../errors.js";
import type { Ack, Disconnect } from "./port.js";

export const UNLINKED = 401;
/** Of codes to link with, among others. */
export const RAN_OUT = 408;
/** After linking, and periodically. */
export const RESTART = 515;

/** Waiting or trying again doesn't help soon. */
const LASTING: Readonly<Record<number, string>> = {
  403: "WhatsApp blocks this account: open WhatsApp on the phone to see why",
  405: "WhatsApp refuses this version of baileys: install a newer one",
  411: "WhatsApp on the phone is too old for linked devices: update it",
  440: "Another program uses the same link to WhatsApp: stop it, or delete the session folder and link again",
};

const UNLINKED_FAULT = "WhatsApp has unlinked this device";

export function unlinkedText(folder: string): string {
  return `${UNLINKED_FAULT}: delete ${folder} and restart the gateway to link it again`;
}

/** For `connect`, where only a person can help. */
export function unlinked(folder: string): HermesError {
  return new HermesError("refused", UNLINKED_FAULT, { hint: unlinkedText(folder) });
}

/** Undefined: it passes. */
export function lastingFault({ code }: Disconnect): string | undefined {
  return code === undefined ? undefined : LASTING[code];
}

export function isDisconnect(value: unknown): value is Disconnect {
  return typeof value === "object" && value !== null && "code" in value && "reason" in value;
}

export function reasonOf(value: unknown): string {
  if (isDisconnect(value)) return value.reason;
  return value instanceof Error ? value.message : "the connection closed";
}

const REFUSALS: Readonly<Record<string, string>> = {
  463: "the account may not start new chats right now; people can write first",
  475: "the account may not start new chats right now; people can write first",
  479: "the address or the session with it isn't valid",
};

/** WhatsApp doesn't say how long. */
const RATE_RETRY_MS = 10_000;

/** Throws if it didn't take the message. */
export function judgeAck(ack: Ack): void {
  if (ack === undefined)
    throw new SendError("unknown", "It is unknown whether WhatsApp has it: no answer came");
  if ("closed" in ack) {
    // Answers come in order, so an error would have arrived before.
    if (ack.closed.code === UNLINKED) throw new SendError("never_sent", UNLINKED_FAULT, { scope: "account" });
    throw new SendError("unknown", "It is unknown whether WhatsApp has it: the connection broke");
  }
  const { error } = ack;
  if (error === undefined) return;
  if (error === "429")
    throw new SendError("never_sent", "WhatsApp asks to wait", {
      retryAfterMs: RATE_RETRY_MS,
      scope: "account",
    });
  if (Number(error) >= 500) throw new SendError("never_sent", `WhatsApp failed (${codeOf(error)})`);
  const why = REFUSALS[error] ?? "unknown reason";
  throw new SendError("refused", `WhatsApp refuses the message: ${why} (${codeOf(error)})`);
}

function codeOf(error: string): string {
  return error.slice(0, 20);
}

/** An error of Baileys' before the message was on its way, or none that tells. */
export function sendErrorOf(error: unknown): SendError {
  if (error instanceof SendError) return error;
  // Baileys says so when there is no socket to write to.
  if (statusOf(error) === 428 && error instanceof Error && error.message === "Connection Closed")
    return new SendError("never_sent", "Not connected to WhatsApp", { scope: "account", cause: error });
  const reason =
    error instanceof Error && error.name === "TimeoutError" ? "no answer in time" : "the send failed";
  return new SendError("unknown", `It is unknown whether WhatsApp has it: ${reason}`, { cause: error });
}

/** Of a Boom, which carries a status. */
export function statusOf(error: unknown): number | undefined {
  const { output } = (error ?? {}) as { output?: { statusCode?: unknown } };
  return typeof output?.statusCode === "number" ? output.statusCode : undefined;
}
