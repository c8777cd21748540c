import type { GatewayEvent, GatewayEventOf } from "../events.js";
import type { InboundMessage, Origin } from "../message.js";

/** Event names and contexts of Hermes Agent's hooks, plus a trace id for messages. */
export interface HookEvent {
  name: string;
  context: Record<string, unknown>;
}

export const EVENT_NAMES = [
  "gateway:startup",
  "session:start",
  "session:end",
  "session:reset",
  "session:compress",
  "agent:start",
  "agent:step",
  "agent:end",
] as const;

const MAX_TEXT = 500;

/** Commands need a verdict: see `commandEvent`. */
export function hookEventsOf(event: GatewayEvent): HookEvent[] {
  switch (event.type) {
    case "gateway-started":
      return [{ name: "gateway:startup", context: { platforms: event.platforms } }];
    case "session-started":
      return [{ name: "session:start", context: { ...aboutSession(event), session_id: event.sessionId } }];
    case "session-reset":
      return sessionEnd(event);
    case "session-compressed":
      return [
        {
          name: "session:compress",
          context: {
            platform: event.platform,
            session_id: event.sessionId,
            old_session_id: event.oldSessionId,
            compression_count: event.compressions,
          },
        },
      ];
    case "turn-started":
      return [{ name: "agent:start", context: aboutTurn(event) }];
    case "turn-step":
      return [{ name: "agent:step", context: step(event) }];
    case "turn-ended":
      return [{ name: "agent:end", context: turnEnd(event) }];
    default:
      return [];
  }
}

/** An automatic reset emits only the end event; `session:reset` is for manual resets, as in Hermes Agent. */
function sessionEnd(event: GatewayEventOf<"session-reset">): HookEvent[] {
  const context = { ...aboutSession(event), session_id: event.sessionId, reason: event.reason };
  const end = { name: "session:end", context };
  return event.reason === "manual" ? [end, { name: "session:reset", context }] : [end];
}

function step({
  platform,
  message,
  sessionId,
  step: iteration,
  tools,
  traceId,
}: GatewayEventOf<"turn-step">) {
  return {
    platform,
    user_id: userOf(message.origin),
    session_id: sessionId,
    iteration,
    tool_names: tools,
    tools: tools.map((name) => ({ name })),
    trace_id: traceId,
  };
}

function turnEnd(event: GatewayEventOf<"turn-ended">) {
  const { outcome, answer } = event;
  return { ...aboutTurn(event), response: answer.slice(0, MAX_TEXT), outcome };
}

export interface CommandCall {
  /** Canonical name, whichever alias was typed. */
  command: string;
  rawCommand: string;
  args: string;
  message: InboundMessage;
  traceId: string;
}

export function commandEvent({ command, rawCommand, args, message, traceId }: CommandCall): HookEvent {
  return {
    name: `command:${command}`,
    context: {
      ...aboutMessage(message),
      command,
      raw_command: rawCommand,
      args: args.trim(),
      raw_args: args,
      trace_id: traceId,
    },
  };
}

function aboutTurn(event: GatewayEventOf<"turn-started" | "turn-ended">) {
  const { message, sessionId, traceId } = event;
  return {
    ...aboutMessage(message),
    session_id: sessionId,
    message: message.text.slice(0, MAX_TEXT),
    trace_id: traceId,
  };
}

function aboutMessage({ platform, origin }: InboundMessage) {
  return {
    platform,
    user_id: userOf(origin),
    chat_id: origin.chatId ?? "",
    thread_id: origin.threadId ?? "",
    chat_type: origin.chatType,
  };
}

function aboutSession({
  platform,
  origin,
  sessionKey,
}: {
  platform: string;
  origin: Origin;
  sessionKey: string;
}) {
  return { platform, user_id: userOf(origin), session_key: sessionKey };
}

function userOf(origin: Origin): string {
  return origin.userId ?? origin.userIdAlt ?? "";
}
