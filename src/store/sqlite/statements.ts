import type { Database, Statement } from "better-sqlite3";

const cache = new WeakMap<Database, Map<string, Statement>>();

/** A statement compiled once per connection. For SQL that is written in the code: text built per call isn't kept. */
export function sql(db: Database, text: string): Statement {
  let statements = cache.get(db);
  if (!statements) cache.set(db, (statements = new Map()));
  let statement = statements.get(text);
  if (!statement) statements.set(text, (statement = db.prepare(text)));
  return statement;
}

/** `?, ?, ?` for a list. */
export const marks = (list: readonly unknown[]) => list.map(() => "?").join(", ");
