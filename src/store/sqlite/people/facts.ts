import type { Database } from "better-sqlite3";
import type { InboundMessage, Origin, Person, Target } from "../../../message.js";
import type { SessionId, SessionKey, SessionRow } from "../../../session.js";
import type { InboxState, OutboxState, ReplyFile } from "../../queues.js";
import { type StoredMessage, storedMessages } from "../messages.js";
import { marks } from "../statements.js";

/** Collects everything that could belong to a person. plan.ts decides what does. */
export interface Facts {
  person: Person;
  ids: string[];
  /** Their names as shown to others. */
  names: string[];
  sessions: SessionFacts[];
  inbox: InboxFacts[];
  outbox: OutboxFacts[];
  previews: PreviewFacts[];
  routes: RouteFacts[];
  keys: KeyFacts[];
  schedules: ScheduleFacts[];
  pairing: { approved: number; pending: number };
  marks: number;
}

export interface SessionFacts {
  row: SessionRow;
  /** Something in it names them. Otherwise it only shares a room with them and may quote them. */
  known: boolean;
  /** Read on every access. */
  messages: () => StoredMessage[];
  /** Recorded participants. */
  participants: Person[];
  authors: { messageId: number; platform: string; userId: string }[];
}

export interface InboxFacts {
  id: number;
  key: SessionKey;
  chatId: string | null;
  sessionId: SessionId | null;
  turnId: string | null;
  state: InboxState;
  bootId: string | null;
  message: InboundMessage;
  /** Earlier versions of its text, if its author edited it. */
  versions: string[];
}

export interface OutboxFacts {
  id: number;
  key: SessionKey | null;
  inboxId: number | null;
  turnId: string | null;
  state: OutboxState;
  target: Target;
  text: string;
  files: ReplyFile[];
}

export interface PreviewFacts {
  inboxId: number;
  text: string;
}

export interface KeyFacts {
  key: SessionKey;
  tuple: (string | null)[];
}

export interface RouteFacts {
  key: SessionKey;
  sessionId: SessionId;
  origin: Origin;
  /** `[platform, chat type, chat, thread, person]`; the person is null for a shared room. */
  tuple: (string | null)[];
}

export interface ScheduleFacts {
  id: string;
  name: string;
  maker: Person | null;
  target: Target | null;
}

export function gatherFacts(db: Database, person: Person): Facts {
  const ids = idsOf(db, person);
  const inbox = allInbox(db);
  const routes = allRoutes(db);
  return {
    person,
    ids,
    names: namesOf(db, person.platform, ids),
    inbox,
    routes,
    keys: allKeys(db),
    outbox: allOutbox(db),
    previews: allPreviews(db),
    sessions: sessionsAround(db, person.platform, ids, { inbox, routes }),
    schedules: allSchedules(db),
    pairing: pairingOf(db, person.platform, ids),
    marks: marksOf(db, person.platform, ids),
  };
}

/** Rows that contain a second id of the person have both. */
function idsOf(db: Database, { platform, userId }: Person): string[] {
  const pairs = db
    .prepare(
      `SELECT payload ->> '$.origin.userId' AS one, payload ->> '$.origin.userIdAlt' AS other FROM gw_inbox
         WHERE platform = @platform AND @userId IN (one, other)
       UNION SELECT origin ->> '$.userId' AS one, origin ->> '$.userIdAlt' AS other FROM gw_routes
         WHERE origin ->> '$.platform' = @platform AND @userId IN (one, other)`,
    )
    .all({ platform, userId }) as { one: string | null; other: string | null }[];
  const known = pairs.flatMap(({ one, other }) => [one, other]).filter((id) => !!id) as string[];
  return [...new Set([userId, ...known])];
}

function namesOf(db: Database, platform: string, ids: readonly string[]): string[] {
  const list = marks(ids);
  const names = db
    .prepare(
      `SELECT user_name FROM gw_authors WHERE platform = ? AND user_id IN (${list})
       UNION SELECT user_name FROM gw_pairing WHERE platform = ? AND user_id IN (${list})
       UNION SELECT payload ->> '$.origin.userName' FROM gw_inbox
         WHERE platform = ? AND payload ->> '$.origin.userId' IN (${list})
       UNION SELECT origin ->> '$.userName' FROM gw_routes
         WHERE origin ->> '$.platform' = ? AND origin ->> '$.userId' IN (${list})`,
    )
    .pluck()
    .all(...[1, 2, 3, 4].flatMap(() => [platform, ...ids])) as (string | null)[];
  return names.filter((name) => !!name) as string[];
}

function allInbox(db: Database): InboxFacts[] {
  const rows = db
    .prepare(
      `SELECT id, i.session_key AS key, chat_id AS chatId, session_id AS sessionId, turn_id AS turnId, state,
         boot_id AS bootId, payload, n.text, n.known_text ->> '$' AS known
       FROM gw_inbox i LEFT JOIN gw_message_changes n ON n.inbox_id = i.id ORDER BY id`,
    )
    .all() as (Omit<InboxFacts, "message" | "versions"> &
    Record<"payload" | "text" | "known", string | null>)[];
  return rows.map(({ payload, text, known, ...row }) => ({
    ...row,
    message: JSON.parse(payload!) as InboundMessage,
    versions: [text, known].filter((version) => version !== null),
  }));
}

function allOutbox(db: Database): OutboxFacts[] {
  const rows = db
    .prepare(
      `SELECT id, session_key AS key, inbox_id AS inboxId, turn_id AS turnId, state, target, text, files
       FROM gw_outbox ORDER BY id`,
    )
    .all() as (Omit<OutboxFacts, "target" | "files"> & { target: string; files: string | null })[];
  return rows.map(({ target, files, ...row }) => ({
    ...row,
    target: JSON.parse(target) as Target,
    files: JSON.parse(files ?? "[]") as ReplyFile[],
  }));
}

function allPreviews(db: Database): PreviewFacts[] {
  return db
    .prepare("SELECT inbox_id AS inboxId, text FROM gw_previews WHERE text <> ''")
    .all() as PreviewFacts[];
}

function allRoutes(db: Database): RouteFacts[] {
  const rows = db
    .prepare("SELECT session_key AS key, session_id AS sessionId, origin, tuple FROM gw_routes")
    .all() as { key: string; sessionId: string; origin: string; tuple: string }[];
  return rows.map(({ origin, tuple, ...row }) => ({
    ...row,
    origin: JSON.parse(origin) as Origin,
    tuple: JSON.parse(tuple) as (string | null)[],
  }));
}

/** Keys may outlive their routes. */
function allKeys(db: Database): KeyFacts[] {
  const rows = db.prepare("SELECT session_key AS key, tuple FROM gw_keys WHERE json_valid(tuple)").all() as {
    key: SessionKey;
    tuple: string;
  }[];
  return rows.map(({ key, tuple }) => ({ key, tuple: JSON.parse(tuple) as (string | null)[] }));
}

function allSchedules(db: Database): ScheduleFacts[] {
  // An unreadable schedule must not block an erasure.
  const rows = db
    .prepare(
      `SELECT id, name, iif(json_valid(maker), maker, NULL) AS maker, iif(json_valid(target), target, NULL) AS target
       FROM gw_schedules`,
    )
    .all() as {
    id: string;
    name: string;
    maker: string | null;
    target: string | null;
  }[];
  return rows.map(({ maker, target, ...row }) => ({
    ...row,
    maker: JSON.parse(maker ?? "null") as Person | null,
    target: JSON.parse(target ?? "null") as Target | null,
  }));
}

/** Sessions that name or may quote them, and all their descendants. Parents before children. */
function sessionsAround(
  db: Database,
  platform: string,
  ids: readonly string[],
  { inbox, routes }: Pick<Facts, "inbox" | "routes">,
): SessionFacts[] {
  const list = marks(ids);
  const noted = db
    .prepare(
      `SELECT id FROM sessions WHERE source = ? AND user_id IN (${list})
       UNION SELECT session_id FROM gw_participants WHERE platform = ? AND user_id IN (${list})
       UNION SELECT session_id FROM gw_authors WHERE platform = ? AND user_id IN (${list})`,
    )
    .pluck()
    .all(...[1, 2, 3].flatMap(() => [platform, ...ids])) as SessionId[];
  const isTheirs = isPerson(platform, ids);
  const asked = inbox.filter(({ message }) => isTheirs(senderOf(message)));
  const seeds = [
    ...noted,
    ...asked.map(({ sessionId }) => sessionId),
    ...routes.filter(({ origin }) => isTheirs(originPerson(origin))).map(({ sessionId }) => sessionId),
  ];
  const known = new Set(cameOf(db, seeds).map(({ id }) => id));
  const rooms = new Set([...roomsOf(db, platform, seeds), ...asked.map(({ chatId }) => chatId ?? "")]);
  const found = cameOf(db, [...seeds, ...quotingIn(db, platform, rooms, { inbox, routes })]);
  return found.map((row) => ({
    row,
    known: known.has(row.id),
    messages: () => storedMessages(db, row.id, { includeUndone: true }),
    participants: db
      .prepare("SELECT platform, user_id AS userId FROM gw_participants WHERE session_id = ?")
      .all(row.id) as Person[],
    authors: db
      .prepare(
        "SELECT message_id AS messageId, platform, user_id AS userId FROM gw_authors WHERE session_id = ?",
      )
      .all(row.id) as SessionFacts["authors"],
  }));
}

function cameOf(db: Database, seeds: readonly (SessionId | null)[]): SessionRow[] {
  return db
    .prepare(
      `WITH RECURSIVE around(id) AS (
         SELECT value FROM json_each(?) UNION
         SELECT s.id FROM sessions s JOIN around ON s.parent_session_id = around.id)
       SELECT s.* FROM sessions s JOIN around USING (id) ORDER BY s.started_at, s.id`,
    )
    .all(JSON.stringify(seeds)) as SessionRow[];
}

function roomsOf(db: Database, platform: string, sessionIds: readonly (SessionId | null)[]): string[] {
  return db
    .prepare(
      "SELECT chat_id FROM gw_rooms WHERE platform = ? AND session_id IN (SELECT value FROM json_each(?))",
    )
    .pluck()
    .all(platform, JSON.stringify(sessionIds)) as string[];
}

/** Anyone in a room can quote anyone else there, even a person who never got an answer. */
function quotingIn(
  db: Database,
  platform: string,
  rooms: ReadonlySet<string>,
  { inbox, routes }: Pick<Facts, "inbox" | "routes">,
): (SessionId | null)[] {
  const isIn = (where: string, chatId: string | null | undefined) =>
    where === platform && rooms.has(chatId ?? "");
  const held = [
    ...inbox.filter(({ message, chatId }) => isIn(message.platform, chatId)),
    ...routes.filter(({ origin }) => isIn(origin.platform, origin.chatId)),
  ].map(({ sessionId }) => sessionId);
  const quoted = db
    .prepare(
      `WITH held(id) AS (
         SELECT value FROM json_each(@held) UNION
         SELECT session_id FROM gw_rooms
           WHERE platform = @platform AND chat_id IN (SELECT value FROM json_each(@rooms)))
       SELECT id FROM held WHERE EXISTS (
         SELECT 1 FROM messages WHERE session_id = held.id AND role = 'user' AND instr(content, '> ') > 0)`,
    )
    .pluck()
    .all({ held: JSON.stringify(held), platform, rooms: JSON.stringify([...rooms]) }) as SessionId[];
  const asking = inbox.filter(({ message, chatId }) => message.quoted && isIn(message.platform, chatId));
  return [...quoted, ...asking.map(({ sessionId }) => sessionId)];
}

function pairingOf(db: Database, platform: string, ids: readonly string[]): Facts["pairing"] {
  return db
    .prepare(
      `SELECT count(approved_at) AS approved, count(*) - count(approved_at) AS pending FROM gw_pairing
       WHERE platform = ? AND user_id IN (${marks(ids)})`,
    )
    .get(platform, ...ids) as Facts["pairing"];
}

function marksOf(db: Database, platform: string, ids: readonly string[]): number {
  const list = marks(ids);
  return db
    .prepare(
      `SELECT (SELECT count(*) FROM gw_participants WHERE platform = ? AND user_id IN (${list}))
         + (SELECT count(*) FROM gw_authors WHERE platform = ? AND user_id IN (${list}))`,
    )
    .pluck()
    .get(platform, ...ids, platform, ...ids) as number;
}

// --- whose --------------------------------------------------------------------------------------------------------

export type IsTheirs = (person: {
  platform: string;
  userIds: readonly (string | null | undefined)[];
}) => boolean;

export function isPerson(platform: string, ids: readonly string[]): IsTheirs {
  return (other) => other.platform === platform && other.userIds.some((id) => !!id && ids.includes(id));
}

/** A message's principal, by the gateway's name for the person, with the second id if there is one. */
export function senderOf({ platform, origin, task }: InboundMessage): Parameters<IsTheirs>[0] {
  if (task?.principal) return { platform: task.principal.platform, userIds: [task.principal.userId] };
  return originPerson({ ...origin, platform });
}

export function originPerson(origin: Origin): Parameters<IsTheirs>[0] {
  const userIds = [origin.userId, origin.userIdAlt].filter((id) => !!id);
  const nameless = userIds.length === 0 && origin.chatType === "dm";
  return { platform: origin.platform, userIds: nameless ? [origin.chatId] : userIds };
}
