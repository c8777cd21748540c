import type { Person } from "../../../message.js";
import { senderName } from "../../../sender-name.js";
import type { SessionId, SessionKey, SessionRow } from "../../../session.js";
import type { ErasurePlan, PlannedSession } from "../../people.js";
import { decodeContent, plainText } from "../../shared/content.js";
import type { StoredMessage } from "../messages.js";
import {
  type Facts,
  type InboxFacts,
  type IsTheirs,
  isPerson,
  type OutboxFacts,
  originPerson,
  type RouteFacts,
  type SessionFacts,
  senderOf,
} from "./facts.js";
import {
  nameBefore,
  quotes,
  redactions,
  rowsOf,
  type SharedRows,
  type Words,
  withoutRepeats,
} from "./redact.js";

/** Facts → what an erasure does with them. Pure. */
export function planOf(facts: Facts): ErasurePlan {
  const isTheirs = isPerson(facts.person.platform, facts.ids);
  const sessions = classify(facts, isTheirs);
  const shared = sharedRows(facts, sessions.shared, isTheirs);
  const keys = keysOf(facts, isTheirs);
  const inbox = inboxPlan(facts, keys, shared.words, isTheirs);
  const outbox = outboxPlan(facts, keys, inbox, shared.words);
  return {
    person: facts.person,
    ids: facts.ids,
    names: facts.names,
    own: sessions.own.map(({ row, messages }) => planned(row, messages().length)),
    shared: shared.sessions,
    changes: shared.changes,
    inbox: { remove: inbox.remove, redact: inbox.redact, quotes: inbox.quotes },
    outbox: { remove: outbox.remove, redact: outbox.redact, changes: outbox.changes },
    previews: previewChanges(facts, shared.words),
    routes: { remove: keys.ownRoutes, redact: keys.sharedRoutes },
    keys: keysNaming(facts, keys),
    chats: keys.chats,
    schedules: facts.schedules
      .filter(({ maker }) => maker && isTheirs(asPerson(maker)))
      .map(({ id, name }) => ({ id, name })),
    schedulesTo: facts.schedules
      .filter(({ maker, target }) => !(maker && isTheirs(asPerson(maker))) && isTo(target, facts, keys.chats))
      .map(({ name }) => name),
    pairing: facts.pairing,
    files: filesOf(
      facts,
      [...namedFiles(sessions.own), ...filesIn(shared.wrote)],
      { ...inbox, sends: outbox.theirs },
      isTheirs,
    ),
    running: facts.inbox
      .filter(({ id, state }) => state === "running" && inbox.theirs.has(id))
      .map(({ id, bootId }) => ({ inboxId: id, bootId })),
    marks: facts.marks,
  };
}

/** The prefix of their messages in a room: a name, or the id without one; as given, and as shown. */
const called = ({ names, ids }: Facts) => [
  ...new Set([...names, ...ids].flatMap((name) => [name, senderName({ userName: name })])),
];

const asPerson = ({ platform, userId }: Person) => ({ platform, userIds: [userId] });

// --- sessions -----------------------------------------------------------------------------------------------------

/** Sessions are theirs alone if they own them and no one else wrote in them, with all sessions derived from them. */
function classify(facts: Facts, isTheirs: IsTheirs): { own: SessionFacts[]; shared: SessionFacts[] } {
  const own = new Set<SessionId>();
  for (const session of facts.sessions) {
    const { id, parent_session_id, user_id } = session.row;
    const cameOfTheirs = user_id === null && parent_session_id !== null && own.has(parent_session_id);
    const isOwn = cameOfTheirs || belongs(session, facts, isTheirs);
    if (isOwn && !hasOthers(session, facts, isTheirs)) own.add(id);
  }
  const [mine, rest] = [true, false].map((is) => facts.sessions.filter(({ row }) => own.has(row.id) === is));
  return { own: mine!, shared: rest! };
}

/** Began in one of their chats. Hermes Agent stores a person for rooms too: routes and names reveal those. */
function belongs({ row, participants, messages }: SessionFacts, facts: Facts, isTheirs: IsTheirs): boolean {
  if (row.user_id === null || !facts.ids.includes(row.user_id)) return false;
  const isFrom = row.source === facts.person.platform || participants.some((one) => isTheirs(asPerson(one)));
  const isRoom = facts.routes.some((route) => route.sessionId === row.id && isShared(route));
  return isFrom && !isRoom && (participants.length > 0 || !namesSeveral(messages()));
}

function hasOthers({ row, participants, authors }: SessionFacts, facts: Facts, isTheirs: IsTheirs): boolean {
  const wrote = facts.inbox.some(
    ({ sessionId, message }) => sessionId === row.id && !isTheirs(senderOf(message)),
  );
  return wrote || [...participants, ...authors].some((one) => !isTheirs(asPerson(one)));
}

/** Every message starts with a name, and there are several names. */
function namesSeveral(messages: readonly StoredMessage[]): boolean {
  const names = messages
    .filter(({ role }) => role === "user")
    .map(({ content }) => nameBefore(plainText(decodeContent(content))));
  return !names.includes("") && new Set(names).size > 1;
}

function planned({ id, source, title, started_at }: SessionRow, messages: number): PlannedSession {
  return { id, source, title, startedAt: started_at, messages };
}

function sharedRows(facts: Facts, sessions: readonly SessionFacts[], isTheirs: IsTheirs) {
  const names = called(facts);
  const rows: SharedRows[] = sessions.map((session) => ({
    id: session.row.id,
    parentId: session.row.parent_session_id,
    known: session.known,
    rows: session.messages(),
    belongsToThem: belongs(session, facts, isTheirs),
  }));
  const authors = sessions.flatMap((session) =>
    session.authors.map((one) => [one.messageId, isTheirs(asPerson(one))] as const),
  );
  const asked = facts.inbox.filter(({ message }) => isTheirs(senderOf(message)));
  const messageIds = asked.map(({ sessionId, message }) => `${sessionId} ${message.origin.messageId}`);
  const theirs = rowsOf(
    rows.filter(({ known }) => known),
    { authors: new Map(authors), messageIds: new Set(messageIds), names },
  );
  const texts = asked.flatMap(({ message, versions }) => [message.text, ...versions]);
  // A quote may still contain the text before an edit.
  const quoted = facts.inbox.filter(quotesOneOf(asked)).map(({ message }) => message.quoted!.text);
  const { changes, words } = redactions(rows, theirs, { names, texts: [...texts, ...quoted] });
  const changed = new Set(changes.map(({ id }) => id));
  /** A running turn there has also read the quote. */
  const quoting = new Set(
    facts.inbox
      .filter(({ message }) => message.quoted && quotes(message.quoted.text, words))
      .map(({ sessionId }) => sessionId),
  );
  const planned = sessions
    .map((session, i) => ({ session, shared: rows[i]! }))
    .filter(
      ({ shared }) => shared.known || quoting.has(shared.id) || shared.rows.some(({ id }) => changed.has(id)),
    )
    .map(({ session, shared }) => plannedShared(session, shared, theirs));
  const wrote = rows.flatMap((session) => session.rows.filter(({ id }) => theirs.has(id)));
  return { sessions: planned, wrote, changes, words };
}

function plannedShared(
  { row }: SessionFacts,
  { rows, belongsToThem }: SharedRows,
  theirs: ReadonlySet<number>,
) {
  const written = rows.map(({ id }) => id).filter((id) => theirs.has(id));
  const first = rows.find(({ role }) => role === "user");
  const namedAfterThem = row.title !== null && first !== undefined && theirs.has(first.id);
  return { ...planned(row, rows.length), written, belongsToThem, namedAfterThem };
}

// --- chats --------------------------------------------------------------------------------------------------------

interface Keys {
  own: Set<SessionKey>;
  ownRoutes: SessionKey[];
  sharedRoutes: SessionKey[];
  chats: string[];
}

/** A room's key names no person; the key of a direct chat, or of a person in a room, is theirs. */
function keysOf(facts: Facts, isTheirs: IsTheirs): Keys {
  const routes = facts.routes.filter(({ origin }) => isTheirs(originPerson(origin)));
  const ownRoutes = routes.filter((route) => !isShared(route)).map(({ key }) => key);
  const asked = facts.inbox.filter(({ message }) => isTheirs(senderOf(message)));
  const others = new Set(
    facts.inbox.filter(({ message }) => !isTheirs(senderOf(message))).map(({ key }) => key),
  );
  const known = new Map(facts.routes.map((route) => [route.key, route]));
  const isOwnKey = (row: InboxFacts) => {
    const route = known.get(row.key);
    if (row.message.task) return true;
    if (route ? isShared(route) : others.has(row.key)) return false;
    return (
      row.message.origin.chatType === "dm" ||
      facts.ids.some((id) => row.key.replace(/~\w+$/, "").endsWith(`:${id}`))
    );
  };
  const direct = [
    ...routes.map(({ key, origin }) => ({ key, origin })),
    ...asked
      .filter(({ message }) => !message.task)
      .map(({ key, message }) => ({ key, origin: message.origin })),
  ].filter(({ key, origin }) => origin.chatType === "dm" && !others.has(key));
  return {
    own: new Set([...ownRoutes, ...asked.filter(isOwnKey).map(({ key }) => key)]),
    ownRoutes,
    sharedRoutes: routes.filter(isShared).map(({ key }) => key),
    chats: [...new Set(direct.flatMap(({ origin }) => origin.chatId ?? []))],
  };
}

/** Their own chats, including those whose messages and routes are gone. */
function keysNaming({ keys, ids, person }: Facts, { own, chats }: Keys): SessionKey[] {
  const names = new Set<string | null>([...ids, ...chats]);
  const found = keys.filter((one) => {
    const [platform, , ...parts] = one.tuple;
    return (
      own.has(one.key) ||
      (platform === person.platform && !isShared(one) && parts.some((id) => names.has(id)))
    );
  });
  return found.map(({ key }) => key);
}

function isShared({ tuple }: Pick<RouteFacts, "tuple">): boolean {
  const [, chatType, , , person] = tuple;
  return chatType !== "dm" && (person ?? null) === null;
}

function isTo(
  target: OutboxFacts["target"] | null,
  { person, ids }: Facts,
  chats: readonly string[],
): boolean {
  if (target?.platform !== person.platform) return false;
  return (
    chats.includes(target.chatId ?? "") || (target.chatType === "dm" && ids.includes(target.chatId ?? ""))
  );
}

// --- queues -------------------------------------------------------------------------------------------------------

const SETTLED = new Set<string>(["sent"]);

function inboxPlan(facts: Facts, keys: Keys, words: Words, isTheirs: IsTheirs) {
  const asked = facts.inbox.filter(({ message }) => isTheirs(senderOf(message)));
  const theirs = new Set(asked.map(({ id }) => id));
  const quoting = facts.inbox.filter(
    ({ id, message }) => !theirs.has(id) && message.quoted && quotes(message.quoted.text, words),
  );
  return {
    theirs,
    turns: new Set(asked.flatMap(({ turnId }) => turnId ?? [])),
    remove: asked.filter(({ key }) => keys.own.has(key)).map(({ id }) => id),
    redact: asked.filter(({ key }) => !keys.own.has(key)).map(({ id }) => id),
    quotes: quoting.map(({ id }) => id),
  };
}

/** Matches by id, not by text. */
function quotesOneOf(asked: readonly InboxFacts[]): (row: InboxFacts) => boolean {
  const ids = new Set(asked.map(({ chatId, message }) => `${chatId} ${message.origin.messageId}`));
  return ({ chatId, message: { quoted } }) => !!quoted?.messageId && ids.has(`${chatId} ${quoted.messageId}`);
}

/** Deletes everything that isn't sent yet; redacts what was sent in a room. */
function outboxPlan(
  facts: Facts,
  keys: Keys,
  inbox: { theirs: ReadonlySet<number>; turns: ReadonlySet<string> },
  words: Words,
) {
  const isOwnPlace = ({ key, target }: OutboxFacts) =>
    (key !== null && keys.own.has(key)) || isTo(target, facts, keys.chats);
  const answersThem = ({ inboxId, turnId, target }: OutboxFacts) =>
    (inboxId !== null && inbox.theirs.has(inboxId)) ||
    (turnId !== null && inbox.turns.has(turnId)) ||
    (target.platform === facts.person.platform && facts.ids.includes(target.userId ?? ""));
  const theirs = facts.outbox.filter((row) => isOwnPlace(row) || answersThem(row));
  const goes = (row: OutboxFacts) => isOwnPlace(row) || !SETTLED.has(row.state);
  const known = new Set(theirs.map(({ id }) => id));
  const others = facts.outbox
    .filter(({ id }) => !known.has(id))
    .map(({ id, text }) => ({ id, before: text, text: withoutRepeats(text, words, called(facts)) }));
  return {
    theirs,
    remove: theirs.filter(goes).map(({ id }) => id),
    redact: theirs.filter((row) => !goes(row)).map(({ id }) => id),
    changes: others.filter(({ before, text }) => before !== text).map(({ id, text }) => ({ id, text })),
  };
}

function previewChanges(facts: Facts, words: Words): ErasurePlan["previews"] {
  const redacted = facts.previews.map((preview) => ({
    ...{ inboxId: preview.inboxId, before: preview.text },
    text: withoutRepeats(preview.text, words, called(facts)),
  }));
  return redacted
    .filter(({ before, text }) => before !== text)
    .map(({ inboxId, text }) => ({ inboxId, text }));
}

// --- files --------------------------------------------------------------------------------------------------------

/** Only file names that we generated, so that message text can't point elsewhere. */
const FILE = /\bmedia\/(?:in|sent)\/[\w-]+(?:\.\w+)?/g;

/** Reads a few rows at a time, so that a long history never has to fit in memory. */
const namedFiles = (sessions: readonly SessionFacts[]) =>
  sessions.flatMap(({ messages }) => filesIn(messages()));

function filesIn(rows: readonly StoredMessage[]): string[] {
  return rows.filter(({ role }) => role === "user").flatMap(({ content }) => content?.match(FILE) ?? []);
}

function filesOf(
  facts: Facts,
  named: readonly string[],
  queues: { theirs: ReadonlySet<number>; sends: readonly OutboxFacts[] },
  isTheirs: IsTheirs,
): string[] {
  const came = facts.inbox.filter(({ id }) => queues.theirs.has(id)).flatMap(attached);
  const sent = queues.sends.flatMap(({ files }) =>
    files.flatMap((file) => ("path" in file ? file.path : [])),
  );
  // Mentioning another person's file doesn't make it theirs.
  const others = new Set(facts.inbox.filter(({ message }) => !isTheirs(senderOf(message))).flatMap(attached));
  const all = [...named, ...came, ...sent].filter(
    (file) => file.match(FILE)?.[0] === file && !others.has(file),
  );
  return [...new Set(all)].toSorted();
}

const attached = ({ message }: InboxFacts) => message.attachments.flatMap((file) => file.path ?? []);
