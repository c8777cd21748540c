import type { EventUsage, GatewayEvent, GatewayEventOf, Watcher } from "../events.js";
import type { Catalogue } from "./catalogue.js";
import { boundedLabel } from "./labels.js";

/** Messages timed at once; beyond that the oldest are dropped. */
const MAX_TIMED = 10_000;

/** Feeds the counters from events. */
export function eventCounter(metrics: Catalogue): Watcher {
  const labels = {
    model: boundedLabel(),
    provider: boundedLabel(),
    tool: boundedLabel(),
    reason: boundedLabel(),
  };
  const receivedAt = new Map<string, number>();

  const accepted = ({ platform, traceId, at }: GatewayEventOf<"accepted">) => {
    metrics.accepted.inc({ platform });
    if (receivedAt.size >= MAX_TIMED) receivedAt.delete(receivedAt.keys().next().value!);
    receivedAt.set(traceId, at);
  };

  const routed = ({ platform, to, reason, traceId }: GatewayEventOf<"routed">) => {
    if (to === "turn" || to === "command") return;
    metrics.refused.inc({ platform, reason: labels.reason(to === "pair" ? "pairing" : (reason ?? to)) });
    receivedAt.delete(traceId);
  };

  const turnEnded = ({ platform, outcome, failure, startedAt, at }: GatewayEventOf<"turn-ended">) => {
    metrics.turns.inc({ platform, outcome });
    metrics.turnSeconds.observe({ outcome }, at - startedAt);
    if (failure) metrics.turnFailures.inc({ kind: failure.kind });
    if (outcome === "retrying") metrics.retries.inc({ stage: "turn", platform });
  };

  const settled = (event: GatewayEventOf<"delivery-settled">) => {
    const { platform, outcome, kind, parts, startedAt, traceId, at } = event;
    metrics.deliveries.inc({ platform, outcome });
    if (outcome === "retrying") metrics.retries.inc({ stage: "delivery", platform });
    if (outcome !== "sent") return;
    metrics.deliverySeconds.observe({ platform }, at - startedAt);
    metrics.deliveryParts.inc({ platform }, parts);
    const since = receivedAt.get(traceId);
    if (kind === "answer" && since !== undefined) metrics.replySeconds.observe({ platform }, at - since);
    receivedAt.delete(traceId);
  };

  const used = (usage: EventUsage) => {
    const of = { provider: labels.provider(usage.provider), model: labels.model(usage.model) };
    metrics.modelCalls.inc(of);
    for (const [type, tokens] of tokensOf(usage)) if (tokens > 0) metrics.tokens.inc({ ...of, type }, tokens);
    if (usage.costUsd) metrics.cost.inc(of, usage.costUsd);
  };

  return (event: GatewayEvent) => {
    switch (event.type) {
      case "received":
        return metrics.received.inc({ platform: event.platform });
      case "duplicate":
        return metrics.duplicates.inc({ platform: event.platform });
      case "accepted":
        return accepted(event);
      case "routed":
        return routed(event);
      case "command-ended":
        return metrics.commands.inc({ command: event.command, outcome: event.ok ? "ok" : "failed" });
      case "turn-started":
        return metrics.turnWait.observe({ platform: event.platform }, event.waitedSeconds);
      case "turn-ended":
        return turnEnded(event);
      case "turn-usage":
        return used(event.usage);
      case "tool-ended":
        return metrics.toolSeconds.observe(
          { tool: labels.tool(event.tool), outcome: event.ok ? "ok" : "failed" },
          event.at - event.startedAt,
        );
      case "session-started":
        return metrics.sessionStarts.inc({ platform: event.platform });
      case "session-reset":
        return metrics.sessionResets.inc({ platform: event.platform, reason: labels.reason(event.reason) });
      case "session-compressed":
        return metrics.sessionSplits.inc({ platform: event.platform });
      case "delivery-settled":
        return settled(event);
      case "penalised":
        return metrics.penalties.inc({ platform: event.platform, scope: event.scope });
      default:
        return undefined;
    }
  };
}

function tokensOf(usage: EventUsage): [type: string, tokens: number][] {
  return [
    ["input", usage.inputTokens],
    ["output", usage.outputTokens],
    ["cache_read", usage.cacheReadTokens],
    ["cache_write", usage.cacheWriteTokens],
    ["reasoning", usage.reasoningTokens],
  ];
}
