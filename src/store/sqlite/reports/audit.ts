import type { Database } from "better-sqlite3";
import type { ToolCallPage, ToolCallQuery } from "../../reports.js";
import { fromPosition, toPosition } from "../position.js";
import { type StoredCall, toCall } from "../queues/steps.js";
import { sql } from "../statements.js";
import { longRead } from "../verb.js";
import { chatName, nameOfSubject, personName } from "./names.js";

/** Who used which tool where, who approved it, and the outcome. */

const LIMIT = 50;
const MAX_LIMIT = 200;
/** Rows per step, and the time limit of all steps. */
const STRIDE = 5000;
const TIME_MS = 60;

export const toolCalls = longRead(function toolCalls(db: Database, query: ToolCallQuery): ToolCallPage {
  const limit = Math.min(query.limit ?? LIMIT, MAX_LIMIT);
  const giveUpAt = performance.now() + TIME_MS;
  const [oldest, newest] = boundsOf(db);
  const [from] = query.before === undefined ? [newest + 1] : fromPosition(query.before, "number");
  const found: StoredCall[] = [];
  let before = Math.min(from, newest + 1);
  while (before > oldest && found.length < limit && performance.now() < giveUpAt) {
    const wanted = limit - found.length;
    const rows = rowsOf(db, query, { before, wanted });
    found.push(...rows);
    before = rows.length === wanted ? rows.at(-1)!.seq : before - STRIDE;
  }
  const calls = found.map((row) => ({ ...toCall(row), ...namesOf(db, row) }));
  return { calls, next: before > oldest ? toPosition(before) : null };
});

function namesOf(db: Database, { platform, user_id, user_name, chat_id, decided_by }: StoredCall) {
  return {
    userName: user_name ?? personName(db, platform, user_id),
    chatName: chatName(db, platform, chat_id),
    deciderName: nameOfSubject(db, decided_by),
  };
}

function boundsOf(db: Database): [oldest: number, newest: number] {
  const ends = sql(
    db,
    "SELECT (SELECT min(seq) FROM gw_tool_calls) AS oldest, (SELECT max(seq) FROM gw_tool_calls) AS newest",
  ).get() as { oldest: number | null; newest: number | null };
  return [ends.oldest ?? 0, ends.newest ?? -1];
}

function rowsOf(
  db: Database,
  { tool, platform, userId, state }: ToolCallQuery,
  { before, wanted }: { before: number; wanted: number },
): StoredCall[] {
  const filters = { tool, platform, user_id: userId, state };
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return sql(
    db,
    `SELECT * FROM gw_tool_calls WHERE seq < @before AND seq >= @after
       ${given.map(([name]) => `AND ${name} = @${name}`).join(" ")} ORDER BY seq DESC LIMIT @wanted`,
  ).all({ before, after: before - STRIDE, wanted, ...Object.fromEntries(given) }) as StoredCall[];
}
