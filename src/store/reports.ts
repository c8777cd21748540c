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
} from "./queues.js";

/**
 * What operators read: dashboard and command line. Reads only. Lists are paged by a position, and no single call takes long: a page
 * whose rows are far apart comes in parts, each with the position at which the next one continues.
 */
export interface Reports {
  browseSessions(query: BrowseQuery): Promise<SessionPage>;
  /** The sources of all sessions, in alphabetical order. */
  sessionSources(): Promise<string[]>;
  /** A page of a session, with long texts cut; or one message in full. */
  readTranscript(of: SessionId | { messageId: number }, query?: TranscriptQuery): Promise<TranscriptPage>;
  /** What people and the agent said, and which approvals were asked for and decided, after a position: oldest first. */
  readActivity(query: ActivityQuery): Promise<ActivityPage>;
  stats(): Promise<Stats>;
  usage(query: UsageQuery): Promise<UsageRow[]>;
  insights(query: InsightsQuery): Promise<Insights>;

  /** `since`: with what was handled and sent since then, by minute. */
  queueDepths(since?: number): Promise<QueueDepths>;
  recentMessages(query: RecentQuery): Promise<RecentPage>;
  /** The way of a message, found by its own id, its trace, its event, or an answer to it. */
  traceMessage(reference: string): Promise<Trace[]>;
  /** What waits for an operator: failed messages whose chats got no notice, and answers that didn't arrive. */
  deadPage(query: DeadQuery): Promise<DeadPage>;
  pairingPage(query: PairingQuery): Promise<PairingPage>;
  /** Who used which tool, newest first. */
  toolCalls(query: ToolCallQuery): Promise<ToolCallPage>;
}

// ── sessions ────────────────────────────────────────────────────────────────────────────────────────────────────

export interface BrowseQuery {
  /** Only this session itself, in full, even if its conversation continues in another one. */
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
}

export type BrowsedSession = Omit<SessionSummary, "system_prompt" | "model_config"> & {
  place: Place | null;
  /** Only of a session that is asked for by its id. */
  detail?: { system_prompt: string | null; session_key: SessionKey | null };
};

/** The chat of a session and its person, as far as known. */
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
  /** Null: nothing is returned but the position of the end. It stays valid after restarts. */
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
  since: number;
  until: number;
  /** IANA name of the zone that defines the days. */
  timeZone: string;
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
  cacheTokens: number;
  apiCalls: number;
  costUsd: number;
}

export interface Stats {
  /** Without the archived ones. */
  sessions: number;
  archived: number;
  messages: number;
  bySource: { source: string; sessions: number; messages: number }[];
  newestMessageAt: number | null;
  databaseBytes: number;
}

export interface InsightsQuery {
  days: number;
  source?: string;
}

export interface Insights {
  days: number;
  overview: {
    sessions: number;
    messages: number;
    user_messages: number;
    tool_calls: number;
    input_tokens: number;
    output_tokens: number;
    cache_read_tokens: number;
    cache_write_tokens: number;
    reasoning_tokens: number;
    api_calls: number;
    cost_usd: number;
    active_hours: number;
  };
  models: {
    model: string;
    sessions: number;
    input_tokens: number;
    output_tokens: number;
    cost_usd: number;
  }[];
  platforms: { source: string; sessions: number; messages: number; tokens: number; cost_usd: number }[];
  tools: { tool: string; calls: number }[];
  /** Messages by local weekday, Monday first, and by local hour. */
  weekdays: number[];
  hours: number[];
  days_active: number;
  longest_streak: number;
  notable: { label: string; session_id: SessionId; title: string | null; value: number }[];
}

// ── queues ──────────────────────────────────────────────────────────────────────────────────────────────────────

export interface QueueDepths {
  inbox: { waiting: number; running: number; dead: number };
  outbox: { pending: number; sending: number; unknown: number; dead: number };
  oldestWaiting: { id: number; at: number; platform: string } | null;
  oldestPending: { id: number; at: number; platform: string } | null;
  /** The oldest row of each state whose pause is over; null: none. */
  dueSince: Record<"waiting" | "running" | "pending" | "sending", number | null>;
  /** Rows with an impossible pause: set in the future, or longer than any pause. */
  misdated: number;
  /** Change with every added row: a cheap way to notice one. */
  marks: { inbox: number; outbox: number; messages: number };
  /** Messages handled and answers sent within the last minute. */
  lastMinute: { handled: number; sent: number };
  pairings: number;
  /** Empty unless it is asked for. */
  byMinute: Throughput;
}

export interface Throughput {
  /** Epoch minutes → count; minutes without any are missing. */
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
  /** The worst state of its answers; null: there are none. */
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
  deliveries: DeliveryRow[];
}

export interface DeadQuery {
  before?: Position;
  limit?: number;
}

export interface DeadPage {
  letters: (DeadLetter & { state: "dead" | "unknown" })[];
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

export interface ToolCallPage {
  /** May be fewer than requested, even none, although there are more. */
  calls: ToolCallRow[];
  next: Position | null;
}
