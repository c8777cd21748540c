import type { Role, SessionId, SessionKey, SessionSummary } from "../session.js";
import type { ApprovedRow, DeadLetter, InboxState, OutboxState, PairingRow, Trace } from "./queues.js";
import type { Lineage, SearchOptions, SearchResult } from "./store.js";

/**
 * What an operator looks at. Reads only, everything pages by a cursor, and no single call takes long: a page whose rows
 * are far apart comes by parts, with the place where the next look goes on.
 */
export interface Looks {
  browseSessions(query: BrowseQuery): Promise<SessionPage>;
  /** Where sessions come from, in alphabetical order. */
  sessionSources(): Promise<string[]>;
  /** Sessions whose title contains the text, newest first. */
  findTitles(text: string, limit: number): Promise<TitleHit[]>;
  sessionDetail(id: SessionId): Promise<SessionDetail | undefined>;
  getLineage(id: SessionId): Promise<Lineage>;
  readTranscript(id: SessionId, query: TranscriptQuery): Promise<TranscriptPage>;
  /** One message in full. */
  readMessage(id: number): Promise<ShownMessage | undefined>;
  searchMessages(query: string, options?: SearchOptions): Promise<SearchResult>;
  usage(query: UsageQuery): Promise<UsageRow[]>;

  queueDepths(): Promise<QueueDepths>;
  /** Messages settled and answers sent, by minute. */
  throughput(since: number): Promise<Throughput>;
  totals(): Promise<Totals>;
  recentMessages(query: RecentQuery): Promise<RecentPage>;
  traceMessage(reference: string): Promise<Trace[]>;
  deadPage(query: DeadQuery): Promise<DeadPage>;
  pairingPage(query: PairingQuery): Promise<PairingPage>;
}

// ── sessions ────────────────────────────────────────────────────────────────────────────────────────────────────

export interface BrowseQuery {
  source?: string;
  userId?: string;
  /** Left out: all but the archived ones. */
  state?: "active" | "ended" | "archived";
  /** Bounds of the last activity. */
  since?: number;
  until?: number;
  before?: SessionPosition;
  limit?: number;
}

/** A place in the list: what comes after it was active earlier. */
export interface SessionPosition {
  at: number;
  id: SessionId;
}

export interface SessionPage {
  /** May be fewer than asked for, or none, although there are more. */
  sessions: BrowsedSession[];
  /** Where to go on; null at the end. */
  next: SessionPosition | null;
}

export type BrowsedSession = Omit<SessionSummary, "system_prompt" | "model_config"> & { place: Place | null };

/** Where a session's chat is, and whose, as far as it is known. */
export interface Place {
  chatType: string | null;
  chatName: string | null;
  userName: string | null;
}

export type SessionDetail = BrowsedSession & { system_prompt: string | null; session_key: SessionKey | null };

export interface TitleHit {
  id: SessionId;
  title: string;
  source: string;
  started_at: number;
}

export interface TranscriptQuery {
  /** Messages with smaller ids, the newest of them; with larger ones, the oldest; or those around this one. */
  before?: number;
  after?: number;
  around?: number;
  limit?: number;
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
  /** Only the beginning of the text is given. */
  cut: boolean;
  /** Pictures and other parts that aren't text. */
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

export interface UsageQuery {
  since: number;
  until: number;
  /** IANA; days begin and end there. */
  timeZone: string;
}

/** Sessions that began on that day: what they have used up to now. */
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

// ── queues ──────────────────────────────────────────────────────────────────────────────────────────────────────

export interface QueueDepths {
  inbox: { waiting: number; running: number; dead: number };
  outbox: { pending: number; sending: number; unknown: number; dead: number };
  oldestWaiting: { id: number; at: number; platform: string } | null;
  oldestPending: { id: number; at: number; platform: string } | null;
  /** Grow with every row that is added: a cheap way to see that something happened. */
  marks: { inbox: number; outbox: number; messages: number };
  /** Messages settled and answers sent within the last minute. */
  lastMinute: { handled: number; sent: number };
  pairings: number;
}

export interface Throughput {
  /** Epoch minutes → count; minutes without any are left out. */
  handled: [minute: number, count: number][];
  sent: [minute: number, count: number][];
}

export interface Totals {
  sessions: number;
  messages: number;
  databaseBytes: number;
}

export interface RecentQuery {
  platform?: string;
  state?: InboxState;
  before?: number;
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
  /** How its answers fare, the worst of them; null: there is none. */
  delivery: OutboxState | null;
}

export interface RecentPage {
  messages: RecentMessage[];
  next: number | null;
}

export interface DeadQuery {
  before?: DeadPosition;
  limit?: number;
}

/** Below these ids, in either queue. */
export interface DeadPosition {
  in: number;
  out: number;
}

export interface DeadPage {
  letters: (DeadLetter & { state: "dead" | "unknown" })[];
  next: DeadPosition | null;
}

export interface PairingQuery {
  /** Requests older than this have expired. */
  since: number;
  /** Approved people: those approved before. */
  before?: number;
  limit?: number;
}

export interface PairingPage {
  /** Newest first. Codes and their hashes stay in the store. */
  pending: Omit<PairingRow, "hash" | "salt">[];
  approved: ApprovedRow[];
  next: number | null;
}
