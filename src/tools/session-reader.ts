/** History reads that `session_search` needs. The store implements them. */
import type { Principal } from "../message.js";
import type { MessageRow, Role, SessionId, SessionRow, SessionSummary } from "../session.js";

export interface SessionReader {
  searchMessages(
    query: string,
    options: {
      asker: Principal;
      roles: readonly Role[];
      excludeSources: readonly string[];
      limit: number;
      sort?: "newest" | "oldest" | "rank";
    },
  ): Promise<{ hits: SessionHit[] }>;
  getSession(id: SessionId): Promise<SessionRow | undefined>;
  /** Without undone rows. */
  getMessages(id: SessionId): Promise<MessageRow[]>;
  listSessions(query: {
    asker: Principal;
    order: "active";
    limit: number;
    excludeSources: readonly string[];
  }): Promise<SessionSummary[]>;
  getLineage(id: SessionId): Promise<{
    ancestors: { id: SessionId }[];
    session: { id: SessionId };
    descendants: { id: SessionId }[];
  }>;
  /** Checked before a session is read. */
  canSee(principal: Principal, id: SessionId): Promise<boolean>;
}

export interface SessionHit {
  id: number;
  session_id: SessionId;
  role: Role;
  snippet: string;
  timestamp: number;
}
