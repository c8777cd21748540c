import type { Principal } from "../../message.js";

export interface Condition {
  sql: string;
  params: unknown[];
}

const ALL: Condition = { sql: "1", params: [] };

/**
 * Which sessions `s` a person may see: their own, and those they took part in. Owners, and calls without an asker: all.
 * In a room, only those that belong to the room.
 */
export function visibleTo(asker: Principal | undefined): Condition {
  if (!asker) return ALL;
  const theirs = asker.owner ? ALL : knownTo(asker);
  if (!asker.room) return theirs;
  const { platform, chatId } = asker.room;
  return {
    sql: `${theirs.sql} AND s.id IN (SELECT session_id FROM gw_rooms WHERE platform = ? AND chat_id = ?)`,
    params: [...theirs.params, platform, chatId],
  };
}

/** Unrestricted: limited to neither a person nor a room. */
export function seesAll(asker: Principal | undefined): boolean {
  return !asker || (asker.owner === true && !asker.room);
}

function knownTo({ platform, userId }: Principal): Condition {
  return {
    sql: `s.id IN (SELECT id FROM sessions WHERE user_id = ? AND source = ?
      UNION ALL SELECT session_id FROM gw_participants WHERE platform = ? AND user_id = ?)`,
    params: [userId, platform, platform, userId],
  };
}
