import { nowSeconds } from "./clock.js";
import type { InboundMessage, Origin, OutboundKind } from "./message.js";
import type { EndReason, SessionId, SessionKey } from "./session.js";
import type { TraceId } from "./trace-id.js";

/**
 * What happens in the gateway, for whoever watches: the log, metrics, hooks, spans, the dashboard. Watchers are told
 * after the fact and can't change it; what carries words that people wrote is marked so, and isn't for logs or labels.
 */
export type GatewayEvent = { at: number } & (
  | { type: "gateway-started"; platforms: string[] }
  | { type: "gateway-stopping" }
  | { type: "platform-connected"; platform: string; account: string }
  | { type: "platform-failed"; platform: string; account: string; error: unknown }
  /** Its menu of commands could not be set. */
  | { type: "menu-failed"; platform: string; account: string; error: unknown }
  /** Handed in by an adapter, new or not. */
  | { type: "received"; platform: string; traceId: TraceId }
  | { type: "duplicate"; platform: string; traceId: TraceId; eventId: string }
  | ({ type: "accepted" } & OfMessage)
  | ({ type: "routed"; to: RoutedTo; reason: string | null; startedAt: number } & OfMessage)
  | ({ type: "command-started"; command: string; args: string } & OfMessage)
  | ({ type: "command-ended"; command: string; ok: boolean; seconds: number } & OfMessage)
  | ({ type: "turn-started"; attempt: number; waitedSeconds: number } & OfTurn)
  /** One answer of the model that calls tools; counted from 1. */
  | ({ type: "turn-step"; step: number; tools: string[] } & OfTurn)
  /** With what the agent asked for. */
  | ({ type: "tool-ended"; tool: string; args: unknown; ok: boolean; startedAt: number } & OfTurn)
  | ({ type: "turn-usage"; usage: EventUsage } & OfTurn)
  | ({ type: "turn-ended" } & TurnEnd & OfTurn)
  | ({ type: "session-started"; origin: Origin } & OfSession)
  /** `reason`: idle, daily, suspended; manual for /new. The session that ended. */
  | ({ type: "session-reset"; reason: string; endReason: EndReason; origin: Origin } & OfSession)
  /** `compressions`: how many its lineage has had. */
  | ({
      type: "session-compressed";
      oldSessionId: SessionId;
      before: number;
      after: number;
      compressions: number;
    } & OfSession)
  | ({ type: "delivery-settled" } & DeliveryEnd)
  | { type: "penalised"; platform: string; scope: "chat" | "account"; seconds: number }
);

export type GatewayEventOf<T extends GatewayEvent["type"]> = Extract<GatewayEvent, { type: T }>;

type RoutedTo = "ignore" | "refuse" | "pair" | "command" | "unknown_command" | "turn";

interface OfMessage {
  traceId: TraceId;
  inboxId: number;
  sessionKey: SessionKey;
  platform: string;
  receivedAt: number;
  /** With what the person wrote. */
  message: InboundMessage;
}

interface OfTurn {
  /** Of the first of its messages. */
  traceId: TraceId;
  /** Of all of them: what somebody wrote in a row is one turn. */
  traceIds: readonly TraceId[];
  turnId: string;
  sessionKey: SessionKey;
  sessionId: SessionId;
  platform: string;
  /** The first of its messages, with what the person wrote. */
  message: InboundMessage;
  /** Its rows in the inbox. */
  inboxIds: readonly number[];
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
    | "silent" // the agent chose to say nothing
    | "interrupted" // by the next message; what was said so far is kept
    | "stopped" // by /stop
    | "failed" // given up; the chat was told
    | "retrying" // a fault of ours: it waits for another attempt
    | "overtaken" // the chat is in another session meanwhile
    | "released"; // the gateway stopped; it runs again after the next start
  /** Why there is no answer: the kind of failure, and its words for the operator. */
  failure: { kind: string; message: string } | null;
  /** What the agent said last. */
  answer: string;
  startedAt: number;
}

interface DeliveryEnd {
  traceId: TraceId;
  outboxId: number;
  turnId: string | null;
  platform: string;
  kind: OutboundKind;
  /** `postponed`: not tried, its chat has to wait. */
  outcome: "sent" | "retrying" | "postponed" | "unknown" | "dead";
  error: string | null;
  attempts: number;
  /** Parts that the platform made of it. */
  parts: number;
  createdAt: number;
  startedAt: number;
}

/** Without its time: `emit` adds it. */
type Unstamped<T> = T extends unknown ? Omit<T, "at"> : never;
export type NewEvent = Unstamped<GatewayEvent>;

export type Watcher = (event: GatewayEvent) => void;

/** Hands events to their watchers. A watcher that throws is reported once and never felt by the pipeline. */
export class Events {
  readonly #watchers = new Map<Watcher, { name: string; failed: boolean }>();
  readonly #onError: (error: unknown, watcher: string) => void;

  constructor(onError: (error: unknown, watcher: string) => void) {
    this.#onError = onError;
  }

  /** Called at once for every event: it must hand over and return, never wait. Gives what ends the watch. */
  watch(name: string, watcher: Watcher): () => void {
    // A function of its own for every watch: the same one may watch twice.
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
