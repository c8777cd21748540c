import type { Database } from "better-sqlite3";

/**
 * A verb of the store is a function of a connection, declared with the way in which it runs: `export const getRoute =
 * read(function getRoute(db, key) {…})`. It stays callable by other verbs. Long work is a generator: it lets others in at every
 * `yield`, and what it yields is its progress.
 */
export type Mode =
  /** Answered from an index or a few rows. Chats wait for these: nothing that grows with the history belongs here. */
  | "read"
  /** The cost grows with the history. On a connection that short reads never wait for. */
  | "longRead"
  /** A long read on an operator's command, with minutes to finish. */
  | "bulkRead"
  /** In a transaction, which it may share with other writes. */
  | "write"
  /** A write that isn't urgent: it shares the next transaction, or gets its own after a moment. */
  | "lateWrite"
  /** On the writer's connection, outside of a transaction. */
  | "exclusive"
  /** On a connection of its own, outside of a transaction, with as much time as it takes. */
  | "apart";

export type Verb = (db: Database, ...args: never[]) => unknown;
export type Declared = Verb & { readonly mode: Mode };

const declare =
  <M extends Mode>(mode: M) =>
  <V extends Verb>(verb: V): V & { readonly mode: M } =>
    Object.assign(verb, { mode });

export const read = declare("read");
export const longRead = declare("longRead");
export const bulkRead = declare("bulkRead");
export const write = declare("write");
export const lateWrite = declare("lateWrite");
export const exclusive = declare("exclusive");
export const apart = declare("apart");
