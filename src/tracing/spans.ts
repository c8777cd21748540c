import { createHash } from "node:crypto";
import type { EventUsage, GatewayEvent, GatewayEventOf } from "../events.js";
import type { TraceId } from "../trace-id.js";

/** A finished span. Ids are derived from its subject, so a restart continues the same trace. */
export interface FinishedSpan {
  name: string;
  traceId: TraceId;
  /** Default: random. */
  spanId?: string;
  /** Default: a root span. */
  parentId?: string;
  kind: "consumer" | "producer" | "internal";
  /** Epoch seconds. */
  startedAt: number;
  endedAt: number;
  attributes: Record<string, string | number | boolean>;
  /** A fixed word: error messages may contain URLs with tokens, and spans bypass log redaction. */
  error?: string;
  /** Links to other traces. */
  links: readonly TraceId[];
}

/** Events → finished spans. Never contains message text or people. */
export function spanOf(event: GatewayEvent, usage: readonly EventUsage[]): FinishedSpan | undefined {
  switch (event.type) {
    case "accepted":
      return acceptSpan(event);
    case "routed":
      return {
        ...under(event, "route", event.startedAt),
        attributes: {
          "hermes.route.to": event.to,
          ...(event.reason ? { "hermes.route.reason": event.reason } : {}),
        },
      };
    case "command-ended":
      return {
        ...under(event, `command ${event.command}`, event.at - event.seconds),
        attributes: { "hermes.command": event.command },
        ...(event.ok ? {} : { error: "the command failed" }),
      };
    case "tool-ended":
      return toolSpan(event);
    case "turn-usage":
      return modelSpan(event);
    case "turn-ended":
      return turnSpan(event, usage);
    case "delivery-settled":
      return event.outcome === "postponed" ? undefined : deliverySpan(event);
    default:
      return undefined;
  }
}

function acceptSpan(event: GatewayEventOf<"accepted">): FinishedSpan {
  const { traceId, platform, inboxId, receivedAt, at } = event;
  return {
    name: `accept ${platform}`,
    traceId,
    spanId: rootId(traceId),
    kind: "consumer",
    startedAt: receivedAt,
    endedAt: at,
    attributes: { "messaging.system": platform, "hermes.inbox.id": inboxId },
    links: [],
  };
}

function turnSpan(event: GatewayEventOf<"turn-ended">, usage: readonly EventUsage[]): FinishedSpan {
  const { traceId, traceIds, turnId, sessionId, platform, outcome, failure } = event;
  const sum = (pick: (one: EventUsage) => number) => usage.reduce((total, one) => total + pick(one), 0);
  const last = usage.at(-1);
  return {
    ...under(event, "turn", event.startedAt),
    spanId: idOf(traceId, `turn ${turnId}`),
    attributes: {
      "messaging.system": platform,
      "hermes.turn.id": turnId,
      "hermes.turn.outcome": outcome,
      "hermes.session.id": sessionId,
      ...(failure ? { "hermes.turn.failure": failure.kind } : {}),
      ...(last
        ? {
            "gen_ai.system": last.provider,
            "gen_ai.response.model": last.model,
            "gen_ai.usage.input_tokens": sum(
              (one) => one.inputTokens + one.cacheReadTokens + one.cacheWriteTokens,
            ),
            "gen_ai.usage.output_tokens": sum((one) => one.outputTokens),
          }
        : {}),
    },
    ...(failure ? { error: failure.kind } : {}),
    links: traceIds.filter((id) => id !== traceId),
  };
}

/** One request to a model. */
function modelSpan(event: GatewayEventOf<"turn-usage">): FinishedSpan {
  const { traceId, turnId, usage, startedAt } = event;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  return {
    ...under(event, `chat ${usage.model}`, startedAt),
    parentId: idOf(traceId, `turn ${turnId}`),
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.system": usage.provider,
      "gen_ai.response.model": usage.model,
      "gen_ai.usage.input_tokens": inputTokens + cacheReadTokens + cacheWriteTokens,
      "gen_ai.usage.output_tokens": outputTokens,
    },
  };
}

function toolSpan(event: GatewayEventOf<"tool-ended">): FinishedSpan {
  const { traceId, turnId, tool, ok, startedAt } = event;
  return {
    ...under(event, `tool ${tool}`, startedAt),
    parentId: idOf(traceId, `turn ${turnId}`),
    attributes: { "gen_ai.tool.name": tool },
    ...(ok ? {} : { error: "the tool failed" }),
  };
}

function deliverySpan(event: GatewayEventOf<"delivery-settled">): FinishedSpan {
  const { platform, outboxId, outcome, attempts, parts, kind } = event;
  return {
    ...under(event, `deliver ${platform}`, event.startedAt),
    kind: "producer",
    attributes: {
      "messaging.system": platform,
      "hermes.outbox.id": outboxId,
      "hermes.delivery.kind": kind,
      "hermes.delivery.outcome": outcome,
      "hermes.delivery.attempt": attempts,
      "hermes.delivery.parts": parts,
    },
    ...(outcome === "sent" ? {} : { error: outcome }),
  };
}

function under(event: { traceId: TraceId; at: number }, name: string, startedAt: number): FinishedSpan {
  const { traceId, at } = event;
  const parentId = rootId(traceId);
  return { name, traceId, parentId, kind: "internal", startedAt, endedAt: at, attributes: {}, links: [] };
}

export function rootId(traceId: TraceId): string {
  return idOf(traceId, "accept");
}

function idOf(traceId: TraceId, what: string): string {
  return createHash("sha256").update(`${traceId} ${what}`).digest("hex").slice(0, 16);
}
