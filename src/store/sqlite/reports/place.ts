import type { Database } from "better-sqlite3";
import type { Origin } from "../../../message.js";
import type { SessionId, SessionKey, SessionRow } from "../../../session.js";
import type { Place } from "../../reports.js";
import { sql } from "../statements.js";

/** From the chat that is in this session now; else the name that its person gave when they asked to be let in. */
export function placeOf(db: Database, session: SessionRow): Place | null {
  const route = sql(db, "SELECT origin FROM gw_routes WHERE session_id = ? LIMIT 1").get(session.id) as
    | { origin: string }
    | undefined;
  if (route) {
    const { chatType, chatName, userName } = JSON.parse(route.origin) as Origin;
    // The author of a room's last message doesn't own its session.
    const own = session.user_id === null ? null : (userName ?? null);
    return { chatType, chatName: chatName ?? null, userName: own };
  }
  if (session.user_id === null) return null;
  const userName = sql(
    db,
    "SELECT user_name FROM gw_pairing WHERE platform = ? AND user_id = ? AND user_name IS NOT NULL LIMIT 1",
  )
    .pluck()
    .get(session.source, session.user_id) as string | undefined;
  return userName === undefined ? null : { chatType: null, chatName: null, userName };
}

export function routeKeyOf(db: Database, id: SessionId): SessionKey | null {
  const key = sql(db, "SELECT session_key FROM gw_routes WHERE session_id = ? LIMIT 1").pluck().get(id);
  return (key as SessionKey | undefined) ?? null;
}
