import type { Database, Statement } from "better-sqlite3";

const cache = new WeakMap<Database, Map<string, Statement>>();

/** A statement compiled once per connection. For SQL that is written in the code: text built per call isn't kept. */
export function sql(db: Database, text: string): Statement {
  const statements = cache.get(db) ?? new Map<string, Statement>();
  cache.set(db, statements);
  const statement = statements.get(text) ?? db.prepare(text);
  statements.set(text, statement);
  return statement;
}

/** `?, ?, ?` for a list. */
export const marks = (list: readonly unknown[]) => list.map(() => "?").join(", ");
