import type { Principal, Room } from "../message.js";
import type {
  ChatMessage,
  EndReason,
  MessageRow,
  NewMessage,
  Role,
  SessionId,
  SessionRow,
  SessionSummary,
} from "../session.js";
import type { People } from "./people.js";
import type { Queues } from "./queues.js";
import type { Schedules } from "./schedules.js";

/**
 * The record of everything that was said. Each verb is one transaction; none hands out a live one or relies on
 * being the only process. Times are epoch seconds and come from the store unless given.
 */
export interface Store extends Queues, Schedules, People {
  /** Adds the row unless the id exists already, in which case the stored row is returned unchanged. */
  createSession(session: NewSession): Promise<SessionRow>;
  /** The first end wins: false when the session was ended before or doesn't exist. */
  endSession(id: SessionId, reason: EndReason): Promise<boolean>;
  reopenSession(id: SessionId): Promise<boolean>;
  archiveSession(id: SessionId, archived: boolean): Promise<boolean>;
  getSession(id: SessionId): Promise<SessionRow | undefined>;
  listSessions(query?: ListQuery): Promise<SessionSummary[]>;
  /** By id, by unique beginning of an id, or by title (the newest of its lineage). */
  resolveSession(reference: string, asker?: Principal): Promise<SessionRow | undefined>;
  addUsage(id: SessionId, usage: Usage, mode?: "add" | "set"): Promise<void>;
  /** Lets a person see a session that isn't theirs by origin: they took part in it. */
  addParticipant(id: SessionId, person: Principal): Promise<void>;
  /** The room that it belongs to: all of it was said there. */
  getRoom(id: SessionId): Promise<Room | undefined>;

  /** Null clears. False when the session doesn't exist; a title in use by another session is a conflict. */
  setTitle(id: SessionId, title: string | null): Promise<boolean>;
  /** Names a session that nobody has named: numbered where the title is taken. False when it has a title already. */
  suggestTitle(id: SessionId, title: string): Promise<boolean>;
  nextTitle(title: string): Promise<string>;
  resolveTitle(title: string, asker?: Principal): Promise<SessionRow | undefined>;

  appendMessages(id: SessionId, messages: readonly NewMessage[]): Promise<number[]>;
  getMessages(id: SessionId, query?: MessageQuery): Promise<MessageRow[]>;
  /** What an agent is given: OpenAI's chat format, without undone rows, system rows and session_meta. */
  getConversation(id: SessionId): Promise<ChatMessage[]>;
  clearMessages(id: SessionId): Promise<number>;
  /** Takes back the last turns: their rows stay, inactive. Gives the texts of the undone user messages, oldest first. */
  undoTurns(id: SessionId, turns?: number): Promise<{ undone: number; texts: string[] }>;

  searchMessages(query: string, options?: SearchOptions): Promise<SearchResult>;

  getLineage(id: SessionId): Promise<Lineage>;
  /** Ends the parent and opens its child, or does nothing and gives undefined when somebody else already has. */
  splitSession(split: Split): Promise<SessionRow | undefined>;

  deleteSession(id: SessionId): Promise<boolean>;
  /** What `pruneSessions` would remove now. */
  countPrunable(query: PruneQuery): Promise<{ sessions: number; messages: number }>;
  pruneSessions(query: PruneQuery, onProgress?: OnProgress): Promise<number>;
  exportSessions(query?: ExportQuery): AsyncIterable<ExportedSession>;
  /** How many sessions an export will give. */
  countExport(query: ExportQuery): Promise<number>;
  /** Adds sessions that aren't there yet. Lines of a session that is, are skipped and counted. */
  importSessions(
    sessions: Iterable<ExportedSession> | AsyncIterable<ExportedSession>,
  ): Promise<{ imported: number; skipped: number }>;
  stats(): Promise<Stats>;
  insights(query: InsightsQuery): Promise<Insights>;
  /** What is open and since when, and what retention would remove. */
  vitals(retentionDays: number): Promise<Vitals>;

  getMeta(key: string): Promise<string | undefined>;
  setMeta(key: string, value: string): Promise<void>;
  /** At most once per interval over all processes. Undefined when it wasn't due. */
  autoPrune(settings: AutoPruneSettings, onProgress?: OnProgress): Promise<AutoPruned | undefined>;
  optimize(onProgress?: OnProgress): Promise<Optimized>;
  check(onProgress?: OnProgress): Promise<CheckReport>;
  /** Checks, keeps a copy, rebuilds what is derived (indexes, full text). */
  repair(onProgress?: OnProgress): Promise<RepairReport>;
  /** A consistent copy while others read and write. */
  backup(target: string, onProgress?: OnProgress): Promise<void>;

  /** How writing goes. Answered also while another process holds the file. */
  writerStats(): Promise<WriterStats>;
  close(): Promise<void>;
}

export interface Progress {
  step: string;
  done: number;
  total: number;
}
export type OnProgress = (progress: Progress) => void;

export interface NewSession {
  id?: SessionId;
  source: string;
  user_id?: string | null;
  model?: string | null;
  model_config?: string | null;
  system_prompt?: string | null;
  parent_session_id?: SessionId | null;
  started_at?: number;
  title?: string | null;
  cwd?: string | null;
  /** Where it begins, if several people read it. */
  room?: Room | undefined;
}

export interface ListQuery {
  source?: string;
  excludeSources?: readonly string[];
  limit?: number;
  offset?: number;
  /** By start (Hermes' order) or by last activity. */
  order?: "started" | "active";
  includeArchived?: boolean;
  asker?: Principal;
}

export interface MessageQuery {
  includeUndone?: boolean;
  afterId?: number;
  limit?: number;
}

/** Counters of a session. Text fields are set only where still empty, `model` included. */
export interface Usage {
  input_tokens?: number;
  output_tokens?: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
  reasoning_tokens?: number;
  api_call_count?: number;
  estimated_cost_usd?: number;
  actual_cost_usd?: number;
  model?: string;
  billing_provider?: string;
  billing_base_url?: string;
  billing_mode?: string;
  cost_status?: string;
  cost_source?: string;
  pricing_version?: string;
}

export type SearchSort = "rank" | "newest" | "oldest";

export interface SearchOptions {
  sources?: readonly string[];
  excludeSources?: readonly string[];
  roles?: readonly Role[];
  /** Only what this person may see. Left out: everything. */
  asker?: Principal;
  since?: number;
  until?: number;
  sort?: SearchSort;
  limit?: number;
  offset?: number;
  /** Match parts of words too, by reading messages newest first. */
  substring?: boolean;
}

export interface SearchHit {
  id: number;
  session_id: SessionId;
  role: Role;
  snippet: string;
  timestamp: number;
  tool_name: string | null;
  source: string;
  model: string | null;
  session_started: number;
  title: string | null;
  context: { role: Role; content: string }[];
}

/** How a query was understood. */
export interface SearchPlan {
  query: string;
  /** The query after cleaning, in FTS5's language. */
  fts: string;
  path: "fts" | "trigram" | "mixed" | "like";
}

export interface SearchResult {
  hits: SearchHit[];
  plan: SearchPlan;
}

export interface LineageNode {
  id: SessionId;
  title: string | null;
  source: string;
  started_at: number;
  ended_at: number | null;
  end_reason: EndReason | null;
  message_count: number;
  parent_session_id: SessionId | null;
  kind: "root" | "compression" | "branch" | "delegate" | "child";
}

export interface Lineage {
  /** Root first, the asked session's parent last. */
  ancestors: LineageNode[];
  session: LineageNode;
  /** In tree order, parents before children. */
  descendants: LineageNode[];
  /** The session that a conversation goes on in: the last of the compression children. */
  tip: SessionId;
}

export interface Split {
  parentId: SessionId;
  childId?: SessionId;
  reason?: EndReason;
  /** What the child begins with (a summary, the kept tail). */
  messages?: readonly NewMessage[];
  systemPrompt?: string | null;
  modelConfig?: string | null;
}

export interface PruneQuery {
  olderThanDays: number;
  source?: string;
}

export interface ExportQuery {
  source?: string;
  sessionId?: SessionId;
}

export type ExportedSession = SessionRow & {
  last_active?: number;
  messages: MessageRow[];
};

export interface Stats {
  sessions: number;
  messages: number;
  bySource: { source: string; sessions: number; messages: number }[];
  databaseBytes: number;
  layout: "compact" | "inline" | "none";
  schemaVersion: number;
}

/** Rows of one state; `oldestAt` is that of the oldest whose time has come. */
export interface OpenRows {
  count: number;
  oldestAt: number | null;
}

export interface Vitals {
  waiting: OpenRows;
  running: OpenRows;
  pending: OpenRows;
  sending: OpenRows;
  /** Rows whose wait can't be right: it was set in the future, or is longer than any wait. */
  misdated: number;
  /** Ended sessions that are older than the retention. */
  prunable: number;
  newestMessageAt: number | null;
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

export interface AutoPruneSettings {
  enabled: boolean;
  retentionDays: number;
  minIntervalHours: number;
  vacuumAfterPrune: boolean;
}

export interface AutoPruned {
  pruned: number;
  vacuumed: boolean;
}

export interface Optimized {
  bytesBefore: number;
  bytesAfter: number;
  converted: boolean;
  /** Why space could not be given back, where it couldn't. */
  note?: string;
}

export interface CheckReport {
  ok: boolean;
  problems: string[];
}

export interface RepairReport extends CheckReport {
  copy: string;
  repaired: string[];
}

export interface WriterStats {
  /** Of whole transactions, with their writes. */
  commitSeconds: Distribution;
  /** Writes that shared one. */
  commitWrites: Distribution;
  failures: number;
  /** How often another process had the file. */
  lockWaits: number;
  /** Writes that wait at the moment, and for how long none was committed although they do. */
  waiting: number;
  waitingSeconds: number;
  lastCommitAt: number | null;
  lastFailureAt: number | null;
}

/** Observed values: how many at or below each bound and above the one before, how many in all, their sum. */
export interface Distribution {
  bounds: readonly number[];
  counts: number[];
  count: number;
  sum: number;
}
