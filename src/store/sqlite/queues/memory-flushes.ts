import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { InboundMessage } from "../../../message.js";
import type { SessionId } from "../../../session.js";
import { type MemoryFlush, memoryFlushOf } from "../../memory-flush.js";
import type { RouteRow } from "../../queues.js";
import { sql } from "../statements.js";

/** How many flushes run in parallel when all sessions end at once (daily reset): one per lane. */
const LANES = 2;

/** In the transaction that ends the session, so that a crash loses no memories. */
export function queueMemoryFlush(db: Database, route: RouteRow): void {
  const count = sql(db, "SELECT message_count FROM sessions WHERE id = ?").pluck();
  if (((count.get(route.sessionId) as number | undefined) ?? 0) > 0) queue(db, memoryFlushOf(route));
}

/** Layout 1 had a separate table for them. */
export function adoptMemoryFlushes(db: Database): void {
  const rows = db.prepare("SELECT session_id AS sessionId, platform, user_id AS userId FROM gw_farewells");
  for (const flush of rows.all() as MemoryFlush[]) queue(db, flush);
  db.exec("DROP TABLE gw_farewells");
}

/** Without a chat, because it isn't part of a chat's log. */
function queue(db: Database, { sessionId, platform, userId }: MemoryFlush): void {
  const now = nowSeconds();
  const message: InboundMessage = {
    platform,
    account: "",
    eventId: `memory:${sessionId}`,
    origin: { platform, chatType: "dm", chatId: null, userId },
    text: "Save memories of a session that has ended.",
    attachments: [],
    sentAt: now,
    mentioned: false,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: true,
    task: {
      name: "Saving memories",
      memoryOf: sessionId,
      principal: { platform, userId },
      failsQuietly: true,
    },
  };
  sql(
    db,
    `INSERT INTO gw_inbox (platform, account, event_id, session_key, payload, received_at) VALUES (?, '', ?, ?, ?, ?)
     ON CONFLICT (platform, account, event_id) DO NOTHING`,
  ).run(platform, message.eventId, laneOf(sessionId), JSON.stringify(message), now);
}

function laneOf(sessionId: SessionId): string {
  const sum = [...sessionId].reduce((total, char) => total + char.charCodeAt(0), 0);
  return `memory:${sum % LANES}`;
}
