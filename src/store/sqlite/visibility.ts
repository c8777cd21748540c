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
    sql: `((s.source = ? AND s.user_id = ?) OR EXISTS (
      SELECT 1 FROM gw_participants p WHERE p.platform = ? AND p.user_id = ? AND p.session_id = s.id))`,
    params: [platform, userId, platform, userId],
  };
}
