import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { Target } from "../../../message.js";
import type { Choice } from "../../../question.js";
import type {
  NewQuestion,
  Owners,
  QuestionAnswer,
  QuestionDecision,
  QuestionKind,
  QuestionQuery,
  QuestionRow,
  QuestionState,
  SuspendedTurn,
} from "../../queues.js";
import { ownerOf } from "../../shared/owner.js";
import { newWait, secondsLeft } from "../../shared/rows.js";
import { personName } from "../reports/names.js";
import { sql } from "../statements.js";
import { read, write } from "../verb.js";
import { finishInbox } from "./inbox.js";
import { addReply } from "./outbox.js";
import { ownedBy } from "./owned.js";
import { leavePreview } from "./previews.js";
import { OPEN_IN } from "./schema.js";
import { addGrant } from "./steps.js";

/** Questions to people, and the turns that wait for their answers. */

export const askQuestion = write(function askQuestion(
  db: Database,
  question: NewQuestion,
  turn?: SuspendedTurn,
): boolean {
  const existing = sql(db, "SELECT 1 FROM gw_questions WHERE id = ? OR call_id = ?");
  if (existing.get(question.id, question.callId ?? null) === undefined) {
    if (turn && !suspend(db, turn, question.timeoutSeconds)) return false;
    addQuestion(db, question, turn);
    return true;
  }
  return turn === undefined || suspend(db, turn, question.timeoutSeconds);
});

/** Running → waiting until the question is decided. Doesn't count as an attempt. */
function suspend(db: Database, { turnId, said }: SuspendedTurn, timeoutSeconds: number): boolean {
  const ids = sql(
    db,
    `SELECT id FROM gw_inbox WHERE turn_id = ? AND state = 'running' AND ${OPEN_IN} ORDER BY id`,
  )
    .pluck()
    .all(turnId) as number[];
  if (ids.length === 0) return false;
  const error = "waiting for an answer";
  finishInbox(db, ids, { state: "waiting", waitSeconds: timeoutSeconds, error, uncounted: true });
  // A tool that asks hasn't changed anything yet, so it runs again from its start.
  sql(
    db,
    "UPDATE gw_tool_calls SET state = 'waiting', started_at = NULL WHERE turn_id = ? AND state = 'running'",
  ).run(turnId);
  leavePreview(db, ids[0], said);
  return true;
}

function addQuestion(db: Database, question: NewQuestion, turn: SuspendedTurn | undefined): void {
  const { id, kind, sessionKey, text, choices, acceptsText, asked, callId, commands, message } = question;
  const outboxId = addReply(
    db,
    { sessionKey, ...message },
    { nonce: `q.${id}`, ...(turn ? { turnId: turn.turnId } : {}) },
  );
  const { notBefore, setAt } = newWait(question.timeoutSeconds);
  const { platform, account } = message.target;
  sql(
    db,
    `INSERT INTO gw_questions (id, kind, session_key, text, choices, accepts_text, asked_platform, asked_user, call_id, commands,
       turn_id, outbox_id, created_at, not_before, wait_set_at, owner)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    id,
    kind,
    sessionKey,
    text,
    JSON.stringify(choices),
    acceptsText ? 1 : 0,
    asked?.platform ?? null,
    asked?.userId ?? null,
    callId ?? null,
    commands ? JSON.stringify(commands) : null,
    turn?.turnId ?? null,
    outboxId,
    nowSeconds(),
    notBefore,
    setAt,
    ownerOf(platform, account),
  );
}

const COLUMNS = `q.*, o.target, o.message_ids FROM gw_questions q LEFT JOIN gw_outbox o ON o.id = q.outbox_id`;

export function getQuestion(db: Database, which: Exclude<QuestionQuery, string>): QuestionRow | undefined {
  const [column, value] = "id" in which ? ["id", which.id] : ["call_id", which.callId];
  const row = sql(db, `SELECT ${COLUMNS} WHERE q.${column} = ?`).get(value) as StoredQuestion | undefined;
  return row && toQuestion(db, row);
}

const MAX_LISTED = 1000;

export const listQuestions = read(function listQuestions(
  db: Database,
  which: QuestionQuery,
  owners?: Owners,
): QuestionRow[] {
  if (typeof which !== "string") {
    const question = getQuestion(db, which);
    return question ? [question] : [];
  }
  const { condition, values } = ownedBy(owners, "q.");
  const state = which === "open" ? "q.state = 'open'" : "q.shown = 0 AND q.state <> 'open'";
  const rows = sql(
    db,
    `SELECT ${COLUMNS} WHERE ${state} AND ${condition} ORDER BY q.created_at LIMIT ${MAX_LISTED}`,
  ).all(...values) as StoredQuestion[];
  return rows.map((row) => toQuestion(db, row));
});

export const decideQuestion = write(function decideQuestion(
  db: Database,
  id: string,
  decision: QuestionDecision | "shown",
): { question: QuestionRow; decided: boolean } | undefined {
  if (decision === "shown") return setShown(db, id);
  const answer = decision.state === "answered" ? decision.answer : null;
  const changes = sql(
    db,
    "UPDATE gw_questions SET state = ?, answer = ?, decided_at = ? WHERE id = ? AND state = 'open'",
  ).run(decision.state, answer ? JSON.stringify(answer) : null, nowSeconds(), id).changes;
  const question = getQuestion(db, { id });
  if (!question) return undefined;
  if (changes > 0) {
    resume(db, id);
    takeAnswer(db, question);
    if (decision.state === "answered" && decision.grant && question.callId) {
      const { platform, userId } = decision.answer.by;
      addGrant(db, question.callId, decision.grant, `${platform}:${userId}`);
    }
  }
  return { question, decided: changes > 0 };
});

/** Marks the message as an answer, so it never becomes a turn. */
function takeAnswer(db: Database, { id, answer, commands = {} }: QuestionRow): void {
  const { inboxId, choiceId = "" } = answer ?? {};
  if (inboxId === undefined) return;
  if (commands[choiceId] === undefined)
    sql(
      db,
      "UPDATE gw_inbox SET state = 'done', reason = 'answer', finished_at = ? WHERE id = ? AND state = 'waiting'",
    ).run(nowSeconds(), inboxId);
  else
    sql(
      db,
      "UPDATE gw_inbox SET payload = json_set(payload, '$.choice', json(?)) WHERE id = ? AND state = 'waiting'",
    ).run(JSON.stringify({ questionId: id, choiceId }), inboxId);
}

/** Lets the waiting turn continue. */
function resume(db: Database, questionId: string): void {
  sql(
    db,
    `UPDATE gw_inbox SET not_before = 0, wait_set_at = NULL, error = NULL
     WHERE state = 'waiting' AND ${OPEN_IN} AND turn_id = (SELECT turn_id FROM gw_questions WHERE id = ?)`,
  ).run(questionId);
}

function setShown(db: Database, id: string): { question: QuestionRow; decided: false } | undefined {
  sql(db, "UPDATE gw_questions SET shown = 1 WHERE id = ?").run(id);
  const question = getQuestion(db, { id });
  return question && { question, decided: false };
}

interface StoredQuestion {
  id: string;
  kind: QuestionKind;
  state: QuestionState;
  session_key: string;
  text: string;
  choices: string;
  accepts_text: number;
  asked_platform: string | null;
  asked_user: string | null;
  call_id: string | null;
  commands: string | null;
  created_at: number;
  not_before: number;
  wait_set_at: number | null;
  answer: string | null;
  /** Null if its message was removed from the outbox. */
  target: string | null;
  message_ids: string | null;
}

function toQuestion(db: Database, row: StoredQuestion): QuestionRow {
  const { asked_platform: platform, asked_user: userId } = row;
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    sessionKey: row.session_key,
    text: row.text,
    choices: JSON.parse(row.choices) as Choice[],
    acceptsText: row.accepts_text === 1,
    asked:
      platform === null || userId === null
        ? null
        : { platform, userId, userName: personName(db, platform, userId) },
    ...(row.call_id === null ? {} : { callId: row.call_id }),
    ...(row.commands === null ? {} : { commands: JSON.parse(row.commands) as Record<string, string> }),
    target: row.target === null ? null : (JSON.parse(row.target) as Target),
    createdAt: row.created_at,
    secondsLeft: secondsLeft(row),
    answer: row.answer === null ? null : (JSON.parse(row.answer) as QuestionAnswer),
    messageIds: row.message_ids === null ? [] : (JSON.parse(row.message_ids) as string[]),
  };
}
