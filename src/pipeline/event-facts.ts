import type { NewEvent } from "../events.js";
import type { DeliveryOutcome, InboxRow, OutboxRow, RouteRow } from "../store/queues.js";

/** Store rows → event fields. */

export function aboutMessage(row: InboxRow) {
  const { id, traceId, sessionKey, receivedAt, message } = row;
  return { traceId, inboxId: id, sessionKey, platform: message.platform, receivedAt, message };
}

export function aboutRoute({ sessionKey, sessionId, origin }: RouteRow) {
  return { sessionKey, sessionId, platform: origin.platform, origin };
}

export function deliverySettled(row: OutboxRow, outcome: DeliveryOutcome, startedAt: number): NewEvent {
  const { id, traceId, turnId, kind, target, attempts, createdAt } = row;
  return {
    type: "delivery-settled",
    traceId,
    outboxId: id,
    turnId,
    platform: target.platform,
    account: target.account,
    kind,
    outcome: outcomeOf(outcome),
    error: outcome.state === "sent" ? null : outcome.error,
    attempts,
    parts: outcome.state === "sent" ? outcome.messageIds.length : 0,
    createdAt,
    startedAt,
  };
}

function outcomeOf(outcome: DeliveryOutcome): "sent" | "retrying" | "postponed" | "unknown" | "dead" {
  if (outcome.state !== "pending") return outcome.state;
  return outcome.postponed ? "postponed" : "retrying";
}
