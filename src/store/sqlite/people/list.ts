import type { Database } from "better-sqlite3";
import type { KnownPerson } from "../../people.js";
import { sql } from "../statements.js";
import { bulkRead } from "../verb.js";

/** One table's data about a person. */
export interface Seen {
  platform: string;
  userId: string;
  name?: string | null;
  sessions?: number;
  messages?: number;
  first?: number | null;
  last?: number | null;
  pairing?: KnownPerson["pairing"];
}

/** The task's principal, otherwise the author, with the gateway's name for them. */
const SENDER = `
  COALESCE(payload ->> '$.task.principal.platform', platform) AS platform,
  COALESCE(payload ->> '$.task.principal.userId', payload ->> '$.origin.userId', payload ->> '$.origin.userIdAlt',
    CASE WHEN payload ->> '$.origin.chatType' = 'dm' THEN chat_id END) AS userId`;

const SOURCES: readonly string[] = [
  // Sessions of one person. Without messages, the session's start is their last activity.
  `SELECT s.source AS platform, s.user_id AS userId, count(*) AS sessions, sum(s.message_count) AS messages,
     min(s.started_at) AS first, max(COALESCE((SELECT max(timestamp) FROM messages m WHERE m.session_id = s.id), s.started_at)) AS last
   FROM sessions s WHERE s.user_id IS NOT NULL GROUP BY 1, 2`,
  // Sessions of others and of rooms.
  `SELECT p.platform, p.user_id AS userId, count(*) AS sessions, min(s.started_at) AS first
   FROM gw_participants p JOIN sessions s ON s.id = p.session_id
   WHERE s.user_id IS NULL OR s.user_id <> p.user_id OR s.source <> p.platform GROUP BY 1, 2`,
  `SELECT a.platform, a.user_id AS userId, a.user_name AS name, count(*) AS messages,
     min(m.timestamp) AS first, max(m.timestamp) AS last
   FROM gw_authors a LEFT JOIN messages m ON m.id = a.message_id GROUP BY 1, 2, 3`,
  `SELECT ${SENDER}, payload ->> '$.origin.userName' AS name, min(received_at) AS first, max(received_at) AS last
   FROM gw_inbox GROUP BY 1, 2, 3`,
  `SELECT origin ->> '$.platform' AS platform, COALESCE(origin ->> '$.userId', origin ->> '$.userIdAlt') AS userId,
     origin ->> '$.userName' AS name, min(created_at) AS first, max(last_user_activity) AS last
   FROM gw_routes GROUP BY 1, 2, 3`,
  `SELECT platform, user_id AS userId, user_name AS name, min(created_at) AS first, max(created_at) AS last,
     CASE WHEN max(approved_at) IS NULL THEN 'pending' ELSE 'approved' END AS pairing
   FROM gw_pairing GROUP BY 1, 2, 3`,
  "SELECT maker ->> '$.platform' AS platform, maker ->> '$.userId' AS userId FROM gw_schedules WHERE json_valid(maker)",
];

export const listPeople = bulkRead(function listPeople(db: Database, platform?: string): KnownPerson[] {
  const seen = SOURCES.flatMap((text) => sql(db, text).all() as Seen[]);
  const wanted = seen.filter((one) => one.userId && (platform === undefined || one.platform === platform));
  return joinSeen(wanted).toSorted((a, b) => (b.lastSeen ?? 0) - (a.lastSeen ?? 0));
});

/** Merges several tables' data about a person. Names in order of appearance. */
export function joinSeen(seen: readonly Seen[]): KnownPerson[] {
  const people = new Map<string, KnownPerson>();
  for (const { platform, userId, ...one } of seen) {
    const key = `${platform}\0${userId}`;
    const known = people.get(key) ?? nobodyYet(platform, userId);
    people.set(key, known);
    if (one.name && !known.names.includes(one.name)) known.names.push(one.name);
    known.sessions += one.sessions ?? 0;
    known.messages += one.messages ?? 0;
    known.firstSeen = outer(Math.min, known.firstSeen, one.first);
    known.lastSeen = outer(Math.max, known.lastSeen, one.last);
    if (known.pairing !== "approved") known.pairing = one.pairing ?? known.pairing;
  }
  return [...people.values()];
}

function nobodyYet(platform: string, userId: string): KnownPerson {
  return {
    platform,
    userId,
    names: [],
    sessions: 0,
    messages: 0,
    firstSeen: null,
    lastSeen: null,
    pairing: null,
  };
}

function outer(pick: (a: number, b: number) => number, a: number | null, b: number | null | undefined) {
  if (a === null || b === null || b === undefined) return a ?? b ?? null;
  return pick(a, b);
}
