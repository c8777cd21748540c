/**
 * People: who is known, what is theirs, and how it goes away. One person is one id on one platform, whichever of its
 * accounts they wrote to.
 */
import type { Person } from "../message.js";
import type { MessageRow, SessionId, SessionKey } from "../session.js";
import type { InboxState, OutboxState } from "./queues.js";
import type { OnProgress } from "./store.js";

export interface People {
  /** Everybody of whom anything is kept, whoever was seen last first. */
  listPeople(platform?: string): Promise<KnownPerson[]>;
  /** What is kept of a person and what an erasure would do with it. Reads only. */
  planErasure(person: Person): Promise<ErasurePlan>;
  /** Of a session that others are in too: only these messages. */
  writtenIn(messageIds: readonly number[], sessionId: SessionId): Promise<MessageRow[]>;
  /** Their rows in the queues, as they are kept, and their schedules. */
  queueRowsOf(plan: ErasurePlan): Promise<PersonRows>;
  /**
   * Does what the plan says, in slices: nothing of theirs is answered any more, then what is shared is redacted, then
   * what is theirs goes. Killed on the way, a new plan has what is left: by whom they are found stays for the end.
   */
  erasePerson(plan: ErasurePlan, onProgress?: OnProgress): Promise<void>;
  /** The end of it: authorship, participation, pairing. */
  forgetPerson(plan: ErasurePlan): Promise<void>;
  /** Deleted words leave the file: indexes are merged, pages given back, the log is emptied. */
  scrub(onProgress?: OnProgress): Promise<Scrubbed>;
  /** Something was erased, and the file has not been scrubbed to the end since. */
  scrubDue(): Promise<boolean>;
}

export interface KnownPerson extends Person {
  names: string[];
  /** Those that are theirs, and those that they took part in. */
  sessions: number;
  /** In sessions of theirs all of them, elsewhere those that they wrote. */
  messages: number;
  firstSeen: number | null;
  lastSeen: number | null;
  pairing: "approved" | "pending" | null;
}

export interface ErasurePlan {
  person: Person;
  /** All ids of theirs: a platform may have a second one. */
  ids: string[];
  names: string[];
  /** Theirs alone: they go, with the work that was delegated. */
  own: PlannedSession[];
  /** Shared with others: what is theirs in it is redacted. */
  shared: SharedSession[];
  /** Rows of shared sessions, as they will be. What others say of them comes first: it is found by their own words. */
  changes: MessageChange[];
  /** `quotes`: messages of others that quote them. */
  inbox: { remove: number[]; redact: number[]; quotes: number[] };
  outbox: { remove: number[]; redact: number[]; changes: { id: number; text: string }[] };
  /** What was shown of answers that never came, as it will be. */
  previews: { inboxId: number; text: string }[];
  routes: { remove: SessionKey[]; redact: SessionKey[] };
  /** Direct chats with them: nobody else is in there. */
  chats: string[];
  /** Schedules that they made. */
  schedules: { id: string; name: string }[];
  /** Schedules of others that write to a chat of theirs: left as they are. */
  schedulesTo: string[];
  pairing: { approved: number; pending: number };
  /** Files under the home that came with their messages or with answers to them. */
  files: string[];
  /** Turns of theirs that are being answered, by the start of the gateway that does. */
  running: { inboxId: number; bootId: string | null }[];
  /** Marks by which they are found: participations and authorships. */
  marks: number;
}

export interface PlannedSession {
  id: SessionId;
  source: string;
  title: string | null;
  startedAt: number;
  /** All of them, others' too. */
  messages: number;
}

export interface SharedSession extends PlannedSession {
  /** The messages that they wrote. */
  written: number[];
  /** It began in a chat of theirs, whoever came later. */
  belongsToThem: boolean;
  /** Its title was made from what they said first. */
  namedAfterThem: boolean;
}

/** What becomes of a row. Left out: stays as it is. */
export interface MessageChange {
  id: number;
  /** It was theirs, or an answer to them; otherwise others' words of which a part goes. */
  whole: boolean;
  content?: string | null;
  toolCalls?: string | null;
  /** Columns with thoughts, as they will be. */
  thoughts?: Partial<Record<ThoughtColumn, string | null>>;
}

export const THOUGHT_COLUMNS = [
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "codex_reasoning_items",
  "codex_message_items",
] as const;
export type ThoughtColumn = (typeof THOUGHT_COLUMNS)[number];

export interface PersonRows {
  inbox: { id: number; state: InboxState; receivedAt: number; message: unknown }[];
  outbox: { id: number; state: OutboxState; createdAt: number; target: unknown; text: string }[];
  routes: { sessionKey: SessionKey; sessionId: SessionId; origin: unknown }[];
  schedules: { id: string; name: string; prompt: string; rule: unknown; createdAt: number }[];
  pairing: { userName: string | null; createdAt: number; approvedAt: number | null }[];
}

export interface Scrubbed {
  /** The file was written anew: nothing that was deleted is left in it. */
  rewritten: boolean;
  /** The log of the file is empty. */
  logEmptied: boolean;
}

/** Nothing of them is kept. */
export function isNobody(plan: ErasurePlan): boolean {
  const { own, shared, inbox, outbox, routes, schedules, pairing, marks } = plan;
  const found = [
    own,
    shared,
    inbox.remove,
    inbox.redact,
    outbox.remove,
    outbox.redact,
    routes.remove,
    routes.redact,
    schedules,
  ];
  return found.every((list) => list.length === 0) && pairing.approved + pairing.pending + marks === 0;
}
