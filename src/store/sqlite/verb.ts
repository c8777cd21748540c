import type { Database } from "better-sqlite3";

/**
 * A store verb is a function of a connection, declared with its mode: `export const getRoute =
 * read(function getRoute(db, key) {…})`. Other verbs can call it directly. Long work is a generator: other
 * writes run at every `yield`, and it yields its progress.
 */
export type Mode =
  /** Reads an index or a few rows. Chats wait for these, so the cost must not grow with the history. */
  | "read"
  /** The cost grows with the history. Runs on a separate connection, so that short reads never wait. */
  | "longRead"
  /** A long read for an operator, which may take minutes. */
  | "bulkRead"
  /** In a transaction, which it may share with other writes. */
  | "write"
  /** A write that isn't urgent: it shares the next transaction, or gets its own after a moment. */
  | "lateWrite"
  /** Its listener gets the result before the commit, which waits a moment for the writes that follow from it. */
  | "earlyWrite"
  /** On the writer's connection, outside a transaction. */
  | "exclusive"
  /** On its own connection, outside a transaction, without a time limit. */
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
export const earlyWrite = declare("earlyWrite");
export const exclusive = declare("exclusive");
export const apart = declare("apart");
