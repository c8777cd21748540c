import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/**
 * Every number that `/metrics` tells, besides those of the process itself. Labels are few by nature: platforms,
 * outcomes, reasons; never a chat, a person or a session.
 */
export type Catalogue = ReturnType<typeof createCatalogue>;

const TURN_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800];
const CALL_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createCatalogue(registry: Registry) {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Counter<L>({ name: `hermes_${name}`, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge<L>({ name: `hermes_${name}`, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, buckets: number[], labelNames: L[]) =>
    new Histogram<L>({ name: `hermes_${name}`, help, labelNames, buckets, registers });

  return {
    received: counter("messages_received_total", "Messages that adapters handed in, new or not", [
      "platform",
    ]),
    accepted: counter("messages_accepted_total", "Messages that the inbox took", ["platform"]),
    duplicates: counter("messages_duplicate_total", "Second copies of a message that the inbox has", [
      "platform",
    ]),
    refused: counter("messages_refused_total", "Messages that got no turn, by the reason why", [
      "platform",
      "reason",
    ]),
    commands: counter("commands_total", "Slash commands that were carried out", ["command", "outcome"]),

    turns: counter("turns_total", "Turns that ended, by how", ["platform", "outcome"]),
    turnFailures: counter("turn_failures_total", "Turns without an answer, by the kind of failure", ["kind"]),
    turnSeconds: histogram("turn_duration_seconds", "From a turn's start to its end", TURN_SECONDS, [
      "outcome",
    ]),
    turnWait: histogram(
      "turn_wait_seconds",
      "From a message's receipt to the start of its turn",
      TURN_SECONDS,
      ["platform"],
    ),
    replySeconds: histogram(
      "reply_seconds",
      "From a message's receipt to the delivery of its answer",
      TURN_SECONDS,
      ["platform"],
    ),
    toolSeconds: histogram("tool_duration_seconds", "Tool calls of the agent", CALL_SECONDS, [
      "tool",
      "outcome",
    ]),

    modelCalls: counter("model_requests_total", "Answered requests to models", ["provider", "model"]),
    tokens: counter("tokens_total", "Tokens of turns, by what they were", ["provider", "model", "type"]),
    cost: counter("cost_usd_total", "Estimated cost of turns, as far as prices are known", [
      "provider",
      "model",
    ]),

    sessionStarts: counter("session_starts_total", "Sessions that began", ["platform"]),
    sessionResets: counter(
      "session_resets_total",
      "Sessions that were ended for a fresh one, by the reason why",
      ["platform", "reason"],
    ),
    sessionSplits: counter("session_splits_total", "Sessions that went on in a summarised child", [
      "platform",
    ]),

    deliveries: counter("deliveries_total", "Attempts at a delivery, by their outcome", [
      "platform",
      "outcome",
    ]),
    deliverySeconds: histogram("delivery_duration_seconds", "Sends that arrived", CALL_SECONDS, ["platform"]),
    deliveryParts: counter("delivery_parts_total", "Messages that the platform made of what was sent", [
      "platform",
    ]),
    retries: counter("retries_total", "What failed and is tried again", ["stage", "platform"]),
    penalties: counter("penalties_total", "Times that a platform made us wait", ["platform", "scope"]),
    penaltiesOpen: gauge("penalties_open", "Chats and bots that have to wait at the moment", ["platform"]),

    inbox: gauge("inbox_messages", "Open messages, by state", ["state"]),
    inboxOldest: gauge("inbox_oldest_seconds", "Age of the oldest message of a state", ["state"]),
    inboxReadyOldest: gauge(
      "inbox_ready_oldest_seconds",
      "How long the oldest message has waited that could be taken up: nothing runs in its chat",
    ),
    outbox: gauge("outbox_messages", "Open deliveries, by state", ["state"]),
    outboxOldest: gauge("outbox_oldest_seconds", "Age of the oldest delivery of a state", ["state"]),
    turnsRunning: gauge("turns_running", "Turns that run"),
    turnsQueued: gauge("turns_queued", "Messages in memory that wait for their turn or are in one"),

    platformState: gauge("platform_state", "1 for the state that a platform is in", [
      "platform",
      "account",
      "state",
    ]),
    platformProofAge: gauge(
      "platform_last_proof_age_seconds",
      "Since a platform last proved that it hears us",
      ["platform", "account"],
    ),

    storeFailures: counter("store_commit_failures_total", "Transactions that failed"),
    storeLockWaits: counter("store_lock_waits_total", "Times that another process held the database"),
    storeWaiting: gauge("store_waiting_writes", "Writes that wait for their transaction"),
    storeStalled: gauge("store_stalled_seconds", "How long nothing was committed although writes wait"),
    storeBytes: gauge("store_file_bytes", "Size of the database's files", ["file"]),

    hooks: counter("hooks_total", "Hooks that were called, by their outcome", ["hook", "outcome"]),

    ready: gauge("ready", "1 while /readyz says yes"),
    scrapeProblems: counter("scrape_problems_total", "Scrapes that could not read the database in time"),
    build: gauge("build_info", "1, with what this is", ["version", "node"]),
  };
}
