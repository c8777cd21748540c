import type { AnswerDetails } from "../../client-request.js";
import { nowSeconds } from "../../clock.js";
import type { InboundMessage, Origin, OutboundKind, Target } from "../../message.js";
import type { OutboundQuestion } from "../../question.js";
import { traceIdFromNonce, traceIdOf } from "../../trace-id.js";
import type {
  DeliveryRow,
  InboxRow,
  InboxState,
  OutboxPart,
  OutboxRow,
  OutboxState,
  ReplyFile,
  RouteFlags,
  RouteRow,
} from "../queues.js";

/** Table rows → rows for callers. Columns have the same names in every engine. */

// ── pauses ──────────────────────────────────────────────────────────────────────────────────────────────────────

export interface StoredWait {
  not_before: number;
  wait_set_at: number | null;
}

/** A delay that starts now, as stored. */
export function newWait(seconds: number): { notBefore: number; setAt: number | null } {
  if (seconds <= 0) return { notBefore: 0, setAt: null };
  const setAt = nowSeconds();
  return { notBefore: setAt + seconds, setAt };
}

export function secondsLeft({ not_before, wait_set_at }: StoredWait, now = nowSeconds()): number {
  const beginsAt = wait_set_at !== null && wait_set_at > now ? wait_set_at : now;
  return Math.max(0, not_before - beginsAt);
}

// ── inbox ───────────────────────────────────────────────────────────────────────────────────────────────────────

export interface StoredInbox {
  id: number;
  event_id: string;
  session_key: string;
  payload: string;
  state: InboxState;
  attempts: number;
  not_before: number;
  wait_set_at: number | null;
  received_at: number;
  started_at: number | null;
  finished_at: number | null;
  turn_id: string | null;
  session_id: string | null;
  reason: string | null;
  error: string | null;
  /** JSON list of the session's messages with this question, while its failed turn is its last attempt. */
  unanswered_ids: string | null;
}

export function toInboxRow(row: StoredInbox): InboxRow {
  const message = JSON.parse(row.payload) as InboundMessage;
  return {
    id: row.id,
    traceId: traceIdOf(message),
    sessionKey: row.session_key,
    message,
    state: row.state,
    attempts: row.attempts,
    receivedAt: row.received_at,
    waitSeconds: secondsLeft(row),
    turnId: row.turn_id,
    error: row.error,
  };
}

// ── outbox ──────────────────────────────────────────────────────────────────────────────────────────────────────

export interface StoredOutbox {
  id: number;
  nonce: string;
  kind: OutboundKind;
  target: string;
  text: string;
  turn_id: string | null;
  state: OutboxState;
  attempts: number;
  created_at: number;
  sent_at: number | null;
  may_be_repeat: number;
  message_ids: string | null;
  replaces: string | null;
  lost_preview_of: string | null;
  files: string | null;
  error: string | null;
  trace_id: string | null;
  details: string | null;
  /** JSON list of OutboxPart until all are sent. Null if not split or not started. */
  parts: string | null;
  question: string | null;
}

export function toOutboxRow(row: StoredOutbox): OutboxRow {
  return {
    id: row.id,
    traceId: row.trace_id ?? traceIdFromNonce(row.nonce),
    nonce: row.nonce,
    kind: row.kind,
    target: JSON.parse(row.target) as Target,
    text: row.text,
    turnId: row.turn_id,
    state: row.state,
    attempts: row.attempts,
    createdAt: row.created_at,
    mayBeRepeat: row.may_be_repeat === 1,
    replaces: row.replaces,
    lostPreviewOf: row.lost_preview_of,
    files: filesOf(row),
    parts: row.parts === null ? null : (JSON.parse(row.parts) as OutboxPart[]),
    ...(row.details === null ? {} : { details: JSON.parse(row.details) as AnswerDetails }),
    ...(row.question ? { question: JSON.parse(row.question) as OutboundQuestion } : {}),
  };
}

export function filesOf({ files }: Pick<StoredOutbox, "files">): ReplyFile[] {
  return files === null ? [] : (JSON.parse(files) as ReplyFile[]);
}

export function toDeliveryRow(row: StoredOutbox): DeliveryRow {
  const outbox = toOutboxRow(row);
  const soFar = (outbox.parts ?? []).flatMap(({ ids = [] }) => ids);
  const messageIds = row.message_ids === null ? soFar : (JSON.parse(row.message_ids) as string[]);
  return { ...outbox, error: row.error, messageIds, sentAt: row.sent_at };
}

// ── routes ──────────────────────────────────────────────────────────────────────────────────────────────────────

export interface StoredRoute {
  session_key: string;
  session_id: string;
  origin: string;
  tuple: string;
  created_at: number;
  updated_at: number;
  last_user_activity: number;
  last_prompt_tokens: number;
  epoch: number;
  expired_reason: string | null;
  flags: string;
  model: string | null;
  agent: string | null;
  human_until: number | null;
}

const NO_FLAGS: Partial<RouteFlags> = {};

export function toRoute(row: StoredRoute): RouteRow {
  const flags = row.flags === "{}" ? NO_FLAGS : (JSON.parse(row.flags) as Partial<RouteFlags>);
  // Field by field: spreading takes ten times as long, and lists have tens of thousands of rows.
  return {
    suspended: flags.suspended ?? false,
    resumePending: flags.resumePending ?? false,
    resumeReason: flags.resumeReason ?? null,
    wasAutoReset: flags.wasAutoReset ?? false,
    autoResetReason: flags.autoResetReason ?? null,
    resetHadActivity: flags.resetHadActivity ?? false,
    isFreshReset: flags.isFreshReset ?? false,
    expiryFinalized: flags.expiryFinalized ?? false,
    sessionKey: row.session_key,
    sessionId: row.session_id,
    origin: JSON.parse(row.origin) as Origin,
    tuple: row.tuple,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastUserActivity: row.last_user_activity,
    lastPromptTokens: row.last_prompt_tokens,
    epoch: row.epoch,
    expiredReason: row.expired_reason,
    model: row.model,
    agent: row.agent,
    humanUntil: row.human_until,
  };
}
