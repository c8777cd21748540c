import { nowSeconds } from "./clock.js";
import type { InboundMessage, Origin, OutboundKind } from "./message.js";
import type { Leak } from "./secrets/guard.js";
import type { EndReason, SessionId, SessionKey } from "./session.js";
import type { TraceId } from "./trace-id.js";

/**
 * The gateway's events, for its watchers: log, metrics, hooks, spans, dashboard. Watchers are notified
 * afterwards and can't change anything. Fields with people's texts are marked and must not appear in logs or
 * labels.
 */
export type GatewayEvent = { at: number } & (
  | { type: "gateway-started"; platforms: string[] }
  | { type: "gateway-stopping" }
  | { type: "platform-connected"; platform: string; account: string }
  /** An operator disconnected it. */
  | { type: "platform-disconnected"; platform: string; account: string }
  | { type: "platform-failed"; platform: string; account: string; error: unknown }
  /** The platform's command menu could not be set. */
  | { type: "menu-failed"; platform: string; account: string; error: unknown }
  /** Received from an adapter, new or duplicate. */
  | { type: "received"; platform: string; traceId: TraceId }
  | { type: "duplicate"; platform: string; traceId: TraceId; eventId: string }
  | ({ type: "accepted" } & OfMessage)
  | ({ type: "routed"; to: RoutedTo; reason: string | null; startedAt: number } & OfMessage)
  | ({ type: "command-started"; command: string; args: string } & OfMessage)
  | ({ type: "command-ended"; command: string; ok: boolean; seconds: number } & OfMessage)
  | ({ type: "turn-started"; attempt: number; waitedSeconds: number } & OfTurn)
  /** One model response with tool calls; counted from 1. */
  | ({ type: "turn-step"; step: number; tools: string[] } & OfTurn)
  /** `args`: written by the model. */
  | ({ type: "tool-started"; tool: string; callId: string; args: unknown } & OfTurn)
  | ({
      type: "tool-ended";
      tool: string;
      callId: string;
      args: unknown;
      ok: boolean;
      startedAt: number;
    } & OfTurn)
  /** One model request. `startedAt`: when the request or the turn began. */
  | ({ type: "turn-usage"; usage: EventUsage; startedAt: number } & OfTurn)
  /** `model`: the model that the chat or the request chose; null: the configured one. */
  | ({ type: "turn-ended"; model: string | null } & TurnEnd & OfTurn)
  | ({ type: "session-started"; origin: Origin } & OfSession)
  /** The ended session. `reason`: idle, daily, suspended; manual for /new. */
  | ({ type: "session-reset"; reason: string; endReason: EndReason; origin: Origin } & OfSession)
  /** `compressions`: the number in its lineage. */
  | ({
      type: "session-compressed";
      oldSessionId: SessionId;
      before: number;
      after: number;
      compressions: number;
    } & OfSession)
  | ({ type: "delivery-settled" } & DeliveryEnd)
  /** A configured token or key was about to leave and was redacted. */
  | ({ type: "secret-redacted" } & Leak)
  | { type: "penalised"; platform: string; account: string; scope: "chat" | "account"; seconds: number }
);

export type GatewayEventOf<T extends GatewayEvent["type"]> = Extract<GatewayEvent, { type: T }>;

type RoutedTo = "ignore" | "refuse" | "pair" | "command" | "unknown_command" | "answer" | "turn";

interface OfMessage {
  traceId: TraceId;
  inboxId: number;
  sessionKey: SessionKey;
  platform: string;
  receivedAt: number;
  /** Contains text written by people. */
  message: InboundMessage;
}

interface OfTurn {
  /** Trace id of the first message. */
  traceId: TraceId;
  /** Trace ids of all its messages: consecutive messages of a person share a turn. */
  traceIds: readonly TraceId[];
  turnId: string;
  sessionKey: SessionKey;
  sessionId: SessionId;
  platform: string;
  /** The first message. Contains text written by people. */
  message: InboundMessage;
  /** Inbox rows and event ids of its messages. */
  inboxIds: readonly number[];
  eventIds: readonly string[];
}

interface OfSession {
  sessionKey: SessionKey;
  sessionId: SessionId;
  platform: string;
}

export interface EventUsage {
  model: string;
  provider: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  costUsd?: number;
}

export interface TurnEnd {
  outcome:
    | "answered"
    | "silent" // the agent chose not to answer
    | "interrupted" // by the next message; the partial answer is kept
    | "stopped" // by /stop
    | "failed" // given up; the chat got a notice
    | "retrying" // an internal error: it waits for a retry
    | "overtaken" // the chat has moved to another session
    | "suspended" // it waits for the answer to a question
    | "released"; // the gateway stopped; it runs again after the next start
  /** Why there is no answer; the message is for the operator. */
  failure: { kind: string; message: string } | null;
  /** The agent's last text. */
  answer: string;
  startedAt: number;
}

interface DeliveryEnd {
  traceId: TraceId;
  outboxId: number;
  turnId: string | null;
  platform: string;
  account: string;
  kind: OutboundKind;
  /** `postponed`: not attempted yet, because its chat must wait. */
  outcome: "sent" | "retrying" | "postponed" | "unknown" | "dead";
  error: string | null;
  attempts: number;
  /** Number of platform messages. */
  parts: number;
  createdAt: number;
  startedAt: number;
}

/** Without `at`, which `emit` adds. */
type Unstamped<T> = T extends unknown ? Omit<T, "at"> : never;
export type NewEvent = Unstamped<GatewayEvent>;

export type Watcher = (event: GatewayEvent) => void;

/** Passes events to watchers. A watcher that throws is reported once and doesn't affect the pipeline. */
export class Events {
  readonly #watchers = new Map<Watcher, { name: string; failed: boolean }>();
  readonly #onError: (error: unknown, watcher: string) => void;

  constructor(onError: (error: unknown, watcher: string) => void) {
    this.#onError = onError;
  }

  /** Calls the watcher synchronously, so it must return quickly. Returns a function that stops it. */
  watch(name: string, watcher: Watcher): () => void {
    // Wrapped, so the same function can be registered twice.
    const own: Watcher = (event) => watcher(event);
    this.#watchers.set(own, { name, failed: false });
    return () => {
      this.#watchers.delete(own);
    };
  }

  emit(event: NewEvent): void {
    if (this.#watchers.size === 0) return;
    const stamped = { ...event, at: nowSeconds() } as GatewayEvent;
    for (const [watcher, state] of this.#watchers) {
      try {
        const result: unknown = watcher(stamped);
        if (result instanceof Promise) result.catch((error: unknown) => this.#failed(state, error));
      } catch (error) {
        this.#failed(state, error);
      }
    }
  }

  #failed(state: { name: string; failed: boolean }, error: unknown): void {
    if (state.failed) return;
    state.failed = true;
    this.#onError(error, state.name);
  }
}
