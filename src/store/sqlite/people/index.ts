import type { Database } from "better-sqlite3";
import type { Person } from "../../../message.js";
import type { ErasurePlan, PersonRows } from "../../people.js";
import { marks } from "../statements.js";
import { bulkRead } from "../verb.js";
import { gatherFacts } from "./facts.js";
import { planOf } from "./plan.js";
import { toolCallsOf } from "./tool-records.js";

export const planErasure = bulkRead(function planErasure(
  db: Database,
  person: Person,
  including?: "rows",
): ErasurePlan {
  const plan = planOf(gatherFacts(db, person));
  return including === "rows" ? { ...plan, rows: queueRowsOf(db, plan) } : plan;
});

function queueRowsOf(db: Database, plan: ErasurePlan): PersonRows {
  const { inbox, outbox, routes, schedules, person, ids } = plan;
  const chosen = (sql: string, list: readonly unknown[]) =>
    db.prepare(sql).all(JSON.stringify(list)) as Record<string, never>[];
  const json = (row: Record<string, never>, ...names: string[]) => ({
    ...row,
    ...Object.fromEntries(names.map((name) => [name, JSON.parse(row[name] ?? "null")])),
  });
  return {
    inbox: chosen(
      `SELECT id, state, received_at AS receivedAt, payload AS message FROM gw_inbox
       WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
      [...inbox.remove, ...inbox.redact],
    ).map((row) => json(row, "message")) as PersonRows["inbox"],
    outbox: chosen(
      `SELECT id, state, created_at AS createdAt, target, text FROM gw_outbox
       WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
      [...outbox.remove, ...outbox.redact],
    ).map((row) => json(row, "target")) as PersonRows["outbox"],
    routes: chosen(
      `SELECT session_key AS sessionKey, session_id AS sessionId, origin FROM gw_routes
       WHERE session_key IN (SELECT value FROM json_each(?))`,
      [...routes.remove, ...routes.redact],
    ).map((row) => json(row, "origin")) as PersonRows["routes"],
    schedules: chosen(
      `SELECT id, name, prompt, iif(json_valid(rule), rule, 'null') AS rule, created_at AS createdAt FROM gw_schedules
       WHERE id IN (SELECT value FROM json_each(?))`,
      schedules.map(({ id }) => id),
    ).map((row) => json(row, "rule")) as PersonRows["schedules"],
    pairing: db
      .prepare(
        `SELECT user_name AS userName, created_at AS createdAt, approved_at AS approvedAt FROM gw_pairing
         WHERE platform = ? AND user_id IN (${marks(ids)})`,
      )
      .all(person.platform, ...ids) as PersonRows["pairing"],
    toolCalls: toolCallsOf(db, plan) as PersonRows["toolCalls"],
  };
}
