import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/**
 * Every metric of `/metrics` except the process metrics. Labels have few values: platforms,
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
    received: counter("messages_received_total", "Messages received from adapters, duplicates included", [
      "platform",
    ]),
    accepted: counter("messages_accepted_total", "Messages stored in the inbox", ["platform"]),
    duplicates: counter("messages_duplicate_total", "Redelivered messages that were dropped", ["platform"]),
    refused: counter("messages_refused_total", "Messages without a turn, by reason", ["platform", "reason"]),
    commands: counter("commands_total", "Slash commands run, by outcome", ["command", "outcome"]),

    turns: counter("turns_total", "Finished turns, by outcome", ["platform", "outcome"]),
    turnFailures: counter("turn_failures_total", "Failed turns, by kind of failure", ["kind"]),
    turnSeconds: histogram("turn_duration_seconds", "Duration of turns", TURN_SECONDS, ["outcome"]),
    turnWait: histogram(
      "turn_wait_seconds",
      "Time from receiving a message to the start of its turn",
      TURN_SECONDS,
      ["platform"],
    ),
    replySeconds: histogram(
      "reply_seconds",
      "Time from receiving a message to delivering its answer",
      TURN_SECONDS,
      ["platform"],
    ),
    toolSeconds: histogram("tool_duration_seconds", "Duration of tool calls", CALL_SECONDS, [
      "tool",
      "outcome",
    ]),

    modelCalls: counter("model_requests_total", "Successful model requests", ["provider", "model"]),
    tokens: counter("tokens_total", "Tokens used by turns, by type", ["provider", "model", "type"]),
    cost: counter("cost_usd_total", "Estimated cost of turns with a known price", ["provider", "model"]),

    sessionStarts: counter("session_starts_total", "Sessions started", ["platform"]),
    sessionResets: counter("session_resets_total", "Session resets, by reason", ["platform", "reason"]),
    sessionSplits: counter("session_splits_total", "Sessions split by compression", ["platform"]),

    deliveries: counter("deliveries_total", "Delivery attempts, by outcome", ["platform", "outcome"]),
    deliverySeconds: histogram("delivery_duration_seconds", "Duration of successful sends", CALL_SECONDS, [
      "platform",
    ]),
    deliveryParts: counter("delivery_parts_total", "Platform messages sent; a long answer has several", [
      "platform",
    ]),
    retries: counter("retries_total", "Retries, by stage", ["stage", "platform"]),
    penalties: counter("penalties_total", "Rate-limit waits imposed by a platform", ["platform", "scope"]),
    penaltiesOpen: gauge("penalties_open", "Chats and bots that are rate-limited now", ["platform"]),

    inbox: gauge("inbox_messages", "Open messages, by state", ["state"]),
    inboxOldest: gauge("inbox_oldest_seconds", "Age of the oldest message, by state", ["state"]),
    inboxReadyOldest: gauge(
      "inbox_ready_oldest_seconds",
      "Waiting time of the oldest message that could run now",
    ),
    outbox: gauge("outbox_messages", "Open deliveries, by state", ["state"]),
    outboxOldest: gauge("outbox_oldest_seconds", "Age of the oldest delivery, by state", ["state"]),
    turnsRunning: gauge("turns_running", "Running turns"),
    turnsQueued: gauge("turns_queued", "Messages in memory, queued or running"),

    platformState: gauge("platform_state", "1 for the current state of a platform", [
      "platform",
      "account",
      "state",
    ]),
    platformProofAge: gauge(
      "platform_last_proof_age_seconds",
      "Seconds since a platform's last proof of life",
      ["platform", "account"],
    ),

    storeFailures: counter("store_commit_failures_total", "Failed transactions"),
    storeLockWaits: counter("store_lock_waits_total", "Lock waits caused by other processes"),
    storeWaiting: gauge("store_waiting_writes", "Queued writes"),
    storeStalled: gauge("store_stalled_seconds", "Seconds without a commit while writes are queued"),
    storeBytes: gauge("store_file_bytes", "Size of the database files", ["file"]),

    hooks: counter("hooks_total", "Hook calls, by outcome", ["hook", "outcome"]),

    ready: gauge("ready", "1 while /readyz returns 200"),
    scrapeProblems: counter("scrape_problems_total", "Scrapes that timed out on the database"),
    build: gauge("build_info", "Always 1; labels hold the version", ["version", "node"]),
  };
}
