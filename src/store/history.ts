import type { Person, Principal, Room } from "../message.js";
import type {
  ChatMessage,
  EndReason,
  MessageRow,
  NewMessage,
  Role,
  SessionId,
  SessionKey,
  SessionRow,
  SessionSummary,
} from "../session.js";
import type { OnProgress } from "./common.js";

/** Sessions and their messages: titles, lineage, search, retention, export. */
export interface History {
  /** By its id, or by what a person calls it. With an asker: only if that person may see it. */
  getSession(which: SessionId | CalledSession, asker?: Principal): Promise<SessionRow | undefined>;
  listSessions(query?: ListQuery): Promise<SessionSummary[]>;
  /** Removes sessions with their messages and the work they delegated. Returns how many of these ids there were. */
  deleteSessions(ids: readonly SessionId[], extent?: DeletionExtent): Promise<number>;

  /**
   * Null clears the title. False if the session doesn't exist. Rejects a title that another session has; with `numbered`, a number is
   * appended instead, as it always is for suggested titles. Those only apply to untitled sessions (otherwise false).
   */
  setTitle(id: SessionId, title: string | null, how?: "suggested" | "numbered"): Promise<boolean>;

  getMessages(id: SessionId, query?: MessageQuery): Promise<MessageRow[]>;
  /** The input for an agent, in OpenAI's chat format: without undone rows, system rows and session_meta. */
  getConversation(id: SessionId): Promise<ChatMessage[]>;
  /** Marks the last turns inactive; their rows stay. Returns the texts of the undone user messages, oldest first. */
  undoTurns(id: SessionId, turns?: number): Promise<{ undone: number; texts: string[] }>;
  searchMessages(query: string, options?: SearchOptions): Promise<SearchResult>;
  getLineage(id: SessionId): Promise<Lineage>;

  /** Removes ended sessions that began long ago, or counts them. */
  pruneSessions(query: PruneQuery, onProgress?: OnProgress): Promise<Pruned>;
  /** Oldest first, so that parents come before their children. */
  exportSessions(query?: ExportQuery): SessionExport;
  /** Adds sessions whose ids are new; the others are skipped and counted. */
  importSessions(
    sessions: Iterable<ExportedSession> | AsyncIterable<ExportedSession>,
  ): Promise<{ imported: number; skipped: number }>;
}

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
  /** The room it starts in, if several people read it. */
  room?: Room | undefined;
}

/** By id, unique id prefix or title (newest of its lineage), or by title only. */
export type CalledSession = { called: string } | { title: string };

export interface DeletionExtent {
  /** Also removes this chat's route and queue rows. A running turn can no longer write. */
  chat?: SessionKey;
  /** Only sessions of this person. */
  owner?: Person;
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
  /** Restricts the result to these. */
  ids?: readonly number[];
  limit?: number;
}

/** Counters of a session. Text fields, `model` included, are set only if they are still empty. */
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
  /** Restricts the search to what this person may see. Default: everything. */
  asker?: Principal;
  since?: number;
  until?: number;
  sort?: SearchSort;
  limit?: number;
  offset?: number;
  /** Also matches parts of words, by reading messages newest first. */
  substring?: boolean;
  /** Also finds sessions whose title contains this text, newest first. */
  titles?: { containing: string; limit: number };
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

/** How a query was parsed. */
export interface SearchPlan {
  query: string;
  /** The query after cleaning, in the engine's own syntax. */
  match: string;
  /** The engine's chosen strategy, as engine-specific text. */
  path: string;
}

export interface SearchResult {
  hits: SearchHit[];
  plan: SearchPlan;
  titles?: TitleHit[];
}

export interface TitleHit {
  id: SessionId;
  title: string;
  source: string;
  started_at: number;
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
  /** Set for a fork, which has only the beginning of its parent. */
  fork?: Fork;
}

export interface Fork {
  /** Number of messages copied from the parent. */
  messages: number;
}

export interface Lineage {
  /** Root first, the session's parent last. */
  ancestors: LineageNode[];
  session: LineageNode;
  /** In tree order, parents before children. */
  descendants: LineageNode[];
  /** The session in which the conversation continues: the last compression child. */
  tip: SessionId;
  /** The room that the tip belongs to. */
  room?: Room | undefined;
}

export interface Split {
  parentId: SessionId;
  childId?: SessionId;
  reason?: EndReason;
  /** The child's first messages (a summary, the kept tail). */
  messages?: readonly NewMessage[];
  systemPrompt?: string | null;
  modelConfig?: string | null;
}

export interface PruneQuery {
  olderThanDays: number;
  source?: string;
  /** Only counts. */
  dryRun?: boolean;
  /** Runs at most once per interval, across all processes. */
  everyHours?: number;
}

export interface Pruned {
  sessions: number;
  messages: number;
  /** False if nothing was done because the last run was less than `everyHours` ago. */
  isDue: boolean;
}

export interface ExportQuery {
  source?: string;
  sessionId?: SessionId;
}

export interface SessionExport extends AsyncIterable<ExportedSession> {
  /** The number of sessions afterwards. */
  total(): Promise<number>;
}

export type ExportedSession = SessionRow & {
  last_active?: number;
  messages: MessageRow[];
};
