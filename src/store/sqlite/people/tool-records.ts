import type { Database } from "better-sqlite3";
import type { ErasurePlan } from "../../people.js";
import { OPERATOR } from "../../queues.js";
import { personSubject } from "../queues/steps.js";
import { marks } from "../statements.js";

/** A person's tool calls and questions. */

const REMOVED = "[Removed: it may quote a person who was erased]";

/** Other people's calls in shared sessions stay in the audit without their text; so do the steps of their interrupted turns. */
export function forgetToolRecords(db: Database, plan: ErasurePlan): void {
  const { person, ids, own, shared, keys } = plan;
  const theirs = marks(ids);
  const json = (values: readonly unknown[]) => JSON.stringify(values);
  const ownIds = json(own.map(({ id }) => id));
  const sharedIds = json(shared.map(({ id }) => id));
  db.prepare(
    `DELETE FROM gw_tool_calls WHERE (platform = ? AND user_id IN (${theirs})) OR session_id IN (SELECT value FROM json_each(?))`,
  ).run(person.platform, ...ids, ownIds);
  db.prepare(
    "UPDATE gw_tool_calls SET arguments = '{}', result = NULL WHERE session_id IN (SELECT value FROM json_each(?))",
  ).run(sharedIds);
  const decider = marks(ids);
  db.prepare(`UPDATE gw_tool_calls SET decided_by = 'erased' WHERE decided_by IN (${decider})`).run(
    ...ids.map((id) => `${person.platform}:${id}`),
  );
  db.prepare(
    `UPDATE gw_steps SET message = json_set(message, '$.content', ?) WHERE turn_id IN (
       SELECT turn_id FROM gw_inbox WHERE session_id IN (SELECT value FROM json_each(?)) AND turn_id IS NOT NULL)`,
  ).run(REMOVED, sharedIds);
  db.prepare(
    "DELETE FROM gw_steps WHERE turn_id NOT IN (SELECT turn_id FROM gw_inbox WHERE state IN ('waiting', 'running', 'dead') AND turn_id IS NOT NULL)",
  ).run();
  db.prepare(
    `DELETE FROM gw_questions WHERE (asked_platform = ? AND asked_user IN (${theirs})) OR session_key IN (SELECT value FROM json_each(?))
       OR (state <> 'open' AND answer ->> '$.by.platform' = ? AND answer ->> '$.by.userId' IN (${theirs}))`,
  ).run(person.platform, ...ids, json(keys), person.platform, ...ids);
  forgetSharedQuestions(db, sharedIds);
  forgetActions(db, plan);
  const subjects = [
    ...ids.map((userId) => personSubject({ platform: person.platform, userId })),
    ...own.map(({ id }) => `session:${id}`),
  ];
  db.prepare("DELETE FROM gw_grants WHERE subject IN (SELECT value FROM json_each(?))").run(json(subjects));
}

/** Operator actions about them stay in the audit without details. A detail may contain their id, as in `telegram:123`. */
function forgetActions(db: Database, plan: ErasurePlan): void {
  const { person, ids, names, own, keys } = plan;
  const words = [...ids, ...names, ...keys, ...own.map(({ id }) => id)];
  db.prepare(
    `UPDATE gw_records SET value = json_set(value, '$.fields', '{}') WHERE platform = ? AND EXISTS (
       SELECT 1 FROM json_tree(gw_records.value ->> '$.fields') field, json_each(?) word
       WHERE instr(':' || replace(replace(field.atom, '"', ':'), ',', ':') || ':', ':' || word.value || ':') > 0)`,
  ).run(OPERATOR, JSON.stringify(words));
  db.prepare(`UPDATE gw_records SET owner = 'erased' WHERE platform = ? AND owner IN (${marks(ids)})`).run(
    OPERATOR,
    ...ids.map((id) => `${person.platform}:${id}`),
  );
}

/** Open questions could still be answered in the person's own words. */
function forgetSharedQuestions(db: Database, sharedIds: string): void {
  const inShared =
    "session_key IN (SELECT session_key FROM gw_inbox WHERE session_id IN (SELECT value FROM json_each(?)))";
  db.prepare(`DELETE FROM gw_questions WHERE state <> 'open' AND ${inShared}`).run(sharedIds);
  db.prepare(
    `UPDATE gw_questions SET text = ?, choices = iif(kind = 'clarify', '[]', choices) WHERE ${inShared}`,
  ).run(REMOVED, sharedIds);
}

export function toolCallsOf(db: Database, { person, ids }: Pick<ErasurePlan, "person" | "ids">) {
  return db
    .prepare(
      `SELECT tool, arguments, result, state, session_id AS sessionId, created_at AS createdAt FROM gw_tool_calls
       WHERE platform = ? AND user_id IN (${marks(ids)}) ORDER BY seq`,
    )
    .all(person.platform, ...ids);
}
