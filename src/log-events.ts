import { describeError, HermesError } from "./errors.js";
import type { Events, GatewayEvent, GatewayEventOf } from "./events.js";
import type { GatewayLog } from "./log.js";

interface Line {
  level: keyof GatewayLog;
  message: string;
  fields: object;
}

/** Logs events with the trace id of their message, and without people's texts. */
export function logEvents(events: Events, log: GatewayLog): void {
  events.watch("log", (event) => {
    const line = lineOf(event);
    if (line) log[line.level](line.fields, line.message);
  });
}

function lineOf(event: GatewayEvent): Line | undefined {
  switch (event.type) {
    case "platform-failed":
      return notConnected(event);
    case "platform-disconnected":
      return { level: "info", message: "platform disconnected", fields: pick(event, "platform", "account") };
    case "menu-failed":
      return {
        level: "warn",
        message: "could not set the command menu",
        fields: { ...pick(event, "platform", "account"), reason: describeError(event.error).message },
      };
    case "duplicate":
      return { level: "debug", message: "duplicate", fields: pick(event, "traceId", "platform", "eventId") };
    case "accepted":
      return { level: "info", message: "accepted", fields: pick(event, ...OF_MESSAGE) };
    case "routed":
      return { level: "debug", message: "routed", fields: pick(event, ...OF_MESSAGE, "to", "reason") };
    case "command-ended":
      return { level: "debug", message: "command", fields: pick(event, ...OF_MESSAGE, "command", "ok") };
    case "turn-started":
      return {
        level: "debug",
        message: "turn started",
        fields: { ...ofTurn(event), attempt: event.attempt },
      };
    case "turn-ended":
      return turnEnded(event);
    case "session-reset":
      return { level: "info", message: "session reset", fields: pick(event, ...OF_SESSION, "reason") };
    case "session-compressed":
      return {
        level: "info",
        message: "session compressed",
        fields: pick(event, ...OF_SESSION, "before", "after"),
      };
    case "delivery-settled":
      return settled(event);
    case "secret-redacted": {
      const { type: _, at: __, secret: setting, ...fields } = event;
      return { level: "warn", message: "a configured secret was redacted", fields: { setting, ...fields } };
    }
    default:
      return undefined;
  }
}

const OF_MESSAGE = ["traceId", "inboxId", "sessionKey", "platform"] as const;
const OF_SESSION = ["sessionKey", "sessionId"] as const;

/** A refusal is only a debug line, because the adapter has logged it. Invalid settings need no stack. */
function notConnected(event: GatewayEventOf<"platform-failed">): Line {
  const { error } = event;
  const fields = pick(event, "platform", "account");
  const reason = systemCode(error);
  if (reason !== undefined) return { level: "error", message: `could not connect (${reason})`, fields };
  if (!(error instanceof HermesError))
    return { level: "error", message: "could not connect", fields: { ...fields, err: error } };
  const { code, message, hint } = error;
  const level = code === "refused" ? "debug" : "error";
  return { level, message: hint === undefined ? message : `${message}: ${hint}`, fields };
}

/** The code of a failed network call, such as `ECONNREFUSED`. Its stack is useless. */
function systemCode(error: unknown): string | undefined {
  const { code, syscall } = error as Partial<NodeJS.ErrnoException>;
  return error instanceof Error && typeof syscall === "string" ? code : undefined;
}

function turnEnded(event: GatewayEventOf<"turn-ended">): Line {
  const fields = { ...ofTurn(event), outcome: event.outcome };
  const { failure } = event;
  if (!failure) return { level: "info", message: "answered", fields };
  return {
    level: "warn",
    message: "turn ended without an answer",
    fields: { ...fields, reason: failure.message },
  };
}

/** Includes the trace ids of all messages. */
function ofTurn(event: GatewayEventOf<"turn-started" | "turn-ended">) {
  const fields = pick(event, "traceId", "turnId", "sessionKey", "sessionId", "platform");
  return event.traceIds.length > 1 ? { ...fields, traceIds: event.traceIds } : fields;
}

function settled(event: GatewayEventOf<"delivery-settled">): Line {
  const { outcome } = event;
  const fields = { ...pick(event, "traceId", "outboxId", "platform", "account", "turnId"), state: outcome };
  if (outcome === "sent" || outcome === "postponed") return { level: "debug", message: outcome, fields };
  return { level: "warn", message: "not sent", fields: { ...fields, reason: event.error } };
}

function pick<T extends object, K extends keyof T>(from: T, ...keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>;
}
