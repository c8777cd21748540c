import type { Database } from "better-sqlite3";
import type { OnProgress } from "../store.js";
import { withDeadline } from "./deadline.js";
import { isGenerator } from "./group-commit.js";
import type { Declared } from "./verb.js";
import { verbs } from "./verbs.js";

type AnyVerb = (db: Database, ...args: unknown[]) => unknown;

export const verbNamed = (name: string) => (verbs as Record<string, Declared>)[name]!;

/**
 * Runs a read verb in one transaction, so that its statements see the same state and take the locks once (a
 * search runs a hundred statements). Only verbs that need their own connection run outside a transaction.
 */
export function answerRead(
  db: Database,
  name: string,
  args: readonly unknown[],
  options: { deadline?: number | undefined; onProgress?: OnProgress },
): unknown {
  const verb = verbNamed(name);
  const run = () => finish((verb as unknown as AnyVerb)(db, ...args), options.onProgress);
  return withDeadline(name, options.deadline, verb.mode === "apart" ? run : () => atOneMoment(db, run));
}

const moments = new WeakMap<Database, (run: () => unknown) => unknown>();

function atOneMoment(db: Database, run: () => unknown): unknown {
  const moment = moments.get(db) ?? db.transaction((work: () => unknown) => work());
  moments.set(db, moment);
  return moment(run);
}

function finish(result: unknown, onProgress?: OnProgress): unknown {
  if (!isGenerator(result)) return result;
  for (let step = result.next(); ; step = result.next()) {
    if (step.done) return step.value;
    onProgress?.(step.value);
  }
}
