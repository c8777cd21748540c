import type { Person } from "../message.js";
import type { SessionId, SessionKey } from "../session.js";
import type { OnProgress } from "./common.js";
import type { InboxState, OutboxState } from "./queues.js";

/** Known people, their data, and its erasure. A person is one id on one platform, across all its accounts. */
export interface People {
  /** Everyone with stored data, most recently seen first. */
  listPeople(platform?: string): Promise<KnownPerson[]>;
  /** Lists the stored data of a person and what an erasure would do, if asked with their rows. Changes nothing. */
  planErasure(person: Person, including?: "rows"): Promise<ErasurePlan>;
  /**
   * Carries out one step of the plan, in slices. `data`: stops their open work, redacts shared data, then deletes their own.
   * `marks`, the last step: deletes authorship, participation and pairing. If it is killed, a new plan covers the rest, because
   * the marks by which they are found go last.
   */
  erasePerson(plan: ErasurePlan, step: "data" | "marks", onProgress?: OnProgress): Promise<void>;
}

export interface KnownPerson extends Person {
  names: string[];
  /** Sessions they own or took part in. */
  sessions: number;
  /** All messages of their own sessions, and their own messages elsewhere. */
  messages: number;
  firstSeen: number | null;
  lastSeen: number | null;
  pairing: "approved" | "pending" | null;
}

export interface ErasurePlan {
  person: Person;
  /** All their ids: a platform may have a second one. */
  ids: string[];
  names: string[];
  /** Theirs alone: deleted, with delegated work. */
  own: PlannedSession[];
  /** Shared with others: their part is redacted. */
  shared: SharedSession[];
  /** New content of rows in shared sessions. Quotes by others come first: they are found by the person's own words. */
  changes: MessageChange[];
  /** `quotes`: messages by others that quote them. */
  inbox: { remove: number[]; redact: number[]; quotes: number[] };
  outbox: { remove: number[]; redact: number[]; changes: { id: number; text: string }[] };
  /** New texts of abandoned previews. */
  previews: { inboxId: number; text: string }[];
  routes: { remove: SessionKey[]; redact: SessionKey[] };
  /** Session keys that name them. */
  keys: SessionKey[];
  /** Direct chats with them alone. */
  chats: string[];
  /** Schedules they created. */
  schedules: { id: string; name: string }[];
  /** Schedules of others that write to their chats: not changed. */
  schedulesTo: string[];
  pairing: { approved: number; pending: number };
  /** Files under the home that belong to their messages or to answers for them. */
  files: string[];
  /** Their running turns, with the boot of the gateway that runs them. */
  running: { inboxId: number; bootId: string | null }[];
  /** Rows by which they are found: participations and authorships. */
  marks: number;
  /** Their rows in the queues, as stored, and their schedules. Only if asked for. */
  rows?: PersonRows;
}

export interface PlannedSession {
  id: SessionId;
  source: string;
  title: string | null;
  startedAt: number;
  /** All messages, including those by others. */
  messages: number;
}

export interface SharedSession extends PlannedSession {
  /** The messages they wrote. */
  written: number[];
  /** It began in one of their chats. */
  belongsToThem: boolean;
  /** Its title came from their first message. */
  namedAfterThem: boolean;
}

/** New content of a row. Missing fields stay unchanged. */
export interface MessageChange {
  id: number;
  /** The whole row is theirs or answers them; otherwise a part of someone else's text is removed. */
  whole: boolean;
  content?: string | null;
  toolCalls?: string | null;
  /** New content of the reasoning columns. */
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
  toolCalls: {
    tool: string;
    arguments: string;
    result: string | null;
    state: string;
    sessionId: SessionId;
    createdAt: number;
  }[];
}

/** True if no data of this person is stored. */
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
