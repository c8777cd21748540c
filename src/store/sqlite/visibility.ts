import type { Principal } from "../../message.js";

export interface Condition {
  sql: string;
  params: unknown[];
}

/** Which sessions `s` a person may see: their own, and those they took part in. Nobody in particular and owners: all. */
export function visibleTo(asker: Principal | undefined): Condition {
  if (!asker || asker.owner) return { sql: "1", params: [] };
  const { platform, userId } = asker;
  return {
    sql: `s.id IN (SELECT id FROM sessions WHERE user_id = ? AND source = ?
      UNION ALL SELECT session_id FROM gw_participants WHERE platform = ? AND user_id = ?)`,
    params: [userId, platform, platform, userId],
  };
}
