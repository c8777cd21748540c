import type { Role, SessionId, SessionKey, SessionSummary } from "../session.js";
import type { Position } from "./common.js";
import type {
  ApprovedRow,
  DeliveryRow,
  InboxRow,
  InboxState,
  OutboxState,
  PairingRow,
  ToolCallRow,
  ToolCallState,
  TurnAttempt,
} from "./queues.js";

/**
 * Reads for the dashboard and the command line. Lists are paged by position. Calls are bounded in time: a
 * page with sparse matches comes in several parts, each with the position where the next one continues.
 */
export interface Reports {
  browseSessions(query: BrowseQuery): Promise<SessionPage>;
  /** A page of a session with long texts cut, or one message in full. */
  readTranscript(of: SessionId | { messageId: number }, query?: TranscriptQuery): Promise<TranscriptPage>;
  /** Messages of people and the agent, and requested and decided approvals, after a position, oldest first. */
  readActivity(query: ActivityQuery): Promise<ActivityPage>;
  /** `turnsSince`: with the figures of the turns that ended since then. */
  stats(turnsSince?: number): Promise<Stats>;
  usage(query: UsageQuery): Promise<Usage>;

  /** `since`: adds the messages handled and sent since then, per minute. */
  queueDepths(since?: number): Promise<QueueDepths>;
  recentMessages(query: RecentQuery): Promise<RecentPage>;
  /** The history of a message, found by its id, trace id, event id or an answer's id. */
  traceMessage(reference: string): Promise<Trace[]>;
  /** What needs an operator: failed messages whose chats got no notice, and answers that didn't arrive. */
  deadPage(query: DeadQuery): Promise<DeadPage>;
  pairingPage(query: PairingQuery): Promise<PairingPage>;
  /** Who used which tool, newest first. */
  toolCalls(query: ToolCallQuery): Promise<ToolCallPage>;
}

// ── sessions ────────────────────────────────────────────────────────────────────────────────────────────────────

export interface BrowseQuery {
  /** Only this session, in full, even if its conversation continues in another one. */
  id?: SessionId;
  source?: string;
  userId?: string;
  /** Default: all but the archived ones. */
  state?: "active" | "ended" | "archived";
  /** Bounds of the last activity. */
  since?: number;
  until?: number;
  before?: Position;
  limit?: number;
}

export interface SessionPage {
  /** May be fewer than requested, even none, although there are more. */
  sessions: BrowsedSession[];
  /** The next position; null at the end. */
  next: Position | null;
  /** Of all sessions, whatever the query, in alphabetical order. */
  sources: string[];
}

export type BrowsedSession = Omit<SessionSummary, "system_prompt" | "model_config"> & {
  place: Place | null;
  /** Only set if the session was requested by id. */
  detail?: { system_prompt: string | null; session_key: SessionKey | null };
};

/** A session's chat and person, as far as known. */
export interface Place {
  chatType: string | null;
  chatName: string | null;
  userName: string | null;
}

export interface TranscriptQuery {
  /** The newest messages before this one, the oldest after it, or those around it. */
  before?: number;
  after?: number;
  around?: number;
  limit?: number;
  /** Long texts aren't cut. */
  whole?: true;
}

export interface TranscriptPage {
  /** Oldest first. */
  messages: ShownMessage[];
  earlier: boolean;
  later: boolean;
}

export interface ShownMessage {
  id: number;
  sessionId: SessionId;
  role: Role;
  text: string;
  /** The text was cut. */
  cut: boolean;
  /** Number of parts that aren't text. */
  media: number;
  toolCalls: { id: string | null; name: string; arguments: string }[];
  toolName: string | null;
  toolCallId: string | null;
  reasoning: string | null;
  finishReason: string | null;
  platformMessageId: string | null;
  at: number;
  undone: boolean;
}

export interface ActivityQuery {
  /** Null returns only the end position, which stays valid after restarts. */
  after: Position | null;
  limit?: number;
}

export interface ActivityPage {
  /** `position`: where to continue after this event. */
  events: (ActivityEvent & { position: Position })[];
  next: Position;
}

export type ActivityEvent =
  | { type: "message"; sessionKey: SessionKey | null; message: ShownMessage }
  | { type: "approval_requested"; sessionKey: SessionKey; approval: { id: string; text: string; at: number } }
  | {
      type: "approval_resolved";
      sessionKey: SessionKey;
      /** `decision`: the id of the choice, or `expired` or `withdrawn`. */
      approval: { id: string; text: string; at: number; decision: string };
    };

export interface UsageQuery {
  /** When the sessions began. */
  since: number;
  until?: number;
  source?: string;
  /** IANA name of the zone that defines the days. */
  timeZone: string;
  /** With the detail. */
  detailed?: true;
}

export interface Usage {
  rows: UsageRow[];
  detail?: UsageDetail;
}

/** Usage until now of the sessions that began on that day. */
export interface UsageRow {
  /** `2026-06-16`. */
  day: string;
  source: string;
  model: string | null;
  sessions: number;
  messages: number;
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  apiCalls: number;
  costUsd: number;
}

/** When people wrote in these sessions, which tools ran, and which sessions stand out. */
export interface UsageDetail {
  userMessages: number;
  activeHours: number;
  daysActive: number;
  longestStreak: number;
  /** Messages by local weekday, Monday first, and by local hour. */
  weekdays: number[];
  hours: number[];
  tools: { tool: string; calls: number }[];
  notable: { label: string; session_id: SessionId; title: string | null; value: number }[];
}

export interface TurnFigures {
  total: Figures;
  /** By their number, the most first. An empty name: unknown. */
  platforms: (Figures & { name: string })[];
  models: (Figures & { name: string })[];
}

export interface Figures {
  /** Those that have a result. */
  turns: number;
  failed: number;
  /** From the receipt of a message to its answer; null: there is none. */
  answerSeconds: { p50: number | null; p95: number | null };
  tokens: number;
  /** Of all attempts. */
  costUsd: number;
}

export interface Stats {
  /** Not counting archived ones. */
  sessions: number;
  archived: number;
  messages: number;
  bySource: { source: string; sessions: number; messages: number }[];
  newestMessageAt: number | null;
  databaseBytes: number;
  /** Only if asked for. */
  turns?: TurnFigures;
}

// ── queues ──────────────────────────────────────────────────────────────────────────────────────────────────────

export interface QueueDepths {
  inbox: { waiting: number; running: number; dead: number };
  outbox: { pending: number; sending: number; unknown: number; dead: number };
  oldestWaiting: { id: number; at: number; platform: string } | null;
  oldestPending: { id: number; at: number; platform: string } | null;
  /** The oldest row of each state that isn't delayed; null if there is none. */
  dueSince: Record<"waiting" | "running" | "pending" | "sending", number | null>;
  /** Rows with an impossible delay: set in the future, or longer than any valid delay. */
  misdated: number;
  /** Change with every added row: a cheap change check. */
  marks: { inbox: number; outbox: number; messages: number };
  /** Messages handled and answers sent within the last minute. */
  lastMinute: { handled: number; sent: number };
  pairings: number;
  /** Questions that wait for an answer. */
  questions: number;
  /** Empty unless requested. */
  byMinute: Throughput;
}

export interface Throughput {
  /** Epoch minute → count; minutes with none are missing. */
  handled: [minute: number, count: number][];
  sent: [minute: number, count: number][];
}

export interface RecentQuery {
  platform?: string;
  state?: InboxState;
  before?: Position;
  limit?: number;
}

export interface RecentMessage {
  id: number;
  platform: string;
  chatType: string;
  chatId: string | null;
  chatName: string | null;
  userId: string | null;
  userName: string | null;
  text: string;
  attachments: number;
  state: InboxState;
  reason: string | null;
  error: string | null;
  attempts: number;
  receivedAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  sessionId: SessionId | null;
  /** The worst state of its answers; null if there are none. */
  delivery: OutboxState | null;
}

export interface RecentPage {
  messages: RecentMessage[];
  next: Position | null;
}

export interface DeadLetter {
  /** `in:12` or `out:34`. */
  id: string;
  sessionKey: SessionKey | null;
  platform: string;
  chatId: string | null;
  text: string;
  error: string | null;
  attempts: number;
  at: number;
}

export interface Trace {
  inbox: InboxRow;
  reason: string | null;
  turnId: string | null;
  sessionId: SessionId | null;
  steps: { at: number; what: string; detail: string | null }[];
  /** Oldest first. The last one may still run; it isn't listed then. */
  attempts: (TurnAttempt & { calls: ToolCallRow[] })[];
  deliveries: DeliveryRow[];
}

export interface DeadQuery {
  before?: Position;
  limit?: number;
}

export interface DeadPage {
  /** `chatName`: in a direct chat, the person's name. */
  letters: (DeadLetter & { state: "dead" | "unknown"; chatName: string | null })[];
  next: Position | null;
}

export interface PairingQuery {
  /** Requests older than this have expired. */
  since: number;
  /** Where the list of approved people continues. */
  before?: Position;
  limit?: number;
}

export interface PairingPage {
  /** Newest first, without codes and hashes. */
  pending: Omit<PairingRow, "hash" | "salt">[];
  approved: ApprovedRow[];
  next: Position | null;
}

export interface ToolCallQuery {
  tool?: string;
  platform?: string;
  userId?: string;
  state?: ToolCallState;
  before?: Position;
  limit?: number;
}

export interface NamedToolCall extends ToolCallRow {
  /** In a direct chat, the person's name. */
  chatName: string | null;
  deciderName: string | null;
}

export interface ToolCallPage {
  /** May be fewer than requested, even none, although there are more. */
  calls: NamedToolCall[];
  next: Position | null;
}
