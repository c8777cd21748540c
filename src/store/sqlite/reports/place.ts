import type { Database } from "better-sqlite3";
import type { Origin } from "../../../message.js";
import type { SessionId, SessionKey, SessionRow } from "../../../session.js";
import type { Place } from "../../reports.js";
import { sql } from "../statements.js";
import { chatName, personName } from "./names.js";

/** From the chat that currently uses this session; otherwise its person's or room's known name. */
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
  const { user_id: userId, source } = session;
  const room = userId === null ? roomOf(db, session.id) : undefined;
  if (room) return { chatType: null, chatName: chatName(db, room.platform, room.chat_id), userName: null };
  const userName = userId === null ? null : personName(db, source, userId);
  return userName === null ? null : { chatType: null, chatName: null, userName };
}

function roomOf(db: Database, id: SessionId): { platform: string; chat_id: string } | undefined {
  return sql(db, "SELECT platform, chat_id FROM gw_rooms WHERE session_id = ?").get(id) as
    | { platform: string; chat_id: string }
    | undefined;
}

export function routeKeyOf(db: Database, id: SessionId): SessionKey | null {
  const key = sql(db, "SELECT session_key FROM gw_routes WHERE session_id = ? LIMIT 1").pluck().get(id);
  return (key as SessionKey | undefined) ?? null;
}
