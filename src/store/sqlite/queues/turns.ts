import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { EndReason, SessionId, SessionKey } from "../../../session.js";
import type { InboxRow, RunningRow, StartedTurn, TurnFailure, TurnFinish, TurnStart } from "../../queues.js";
import { appendMessages } from "../messages.js";
import { addAuthors, addParticipant, addUsage, requireSession } from "../sessions.js";
import { marks, sql } from "../statements.js";
import { openNotes, takeNotes } from "./changes.js";
import { finishInbox, type StoredInbox, toInboxRow } from "./inbox.js";
import { addReply } from "./outbox.js";
import { followPreview, leavePreview, takePreview } from "./previews.js";
import { closeRoute, getRoute } from "./routes.js";
import { OPEN_IN } from "./schema.js";

export function startTurn(db: Database, start: TurnStart): StartedTurn | undefined {
  const route = getRoute(db, start.sessionKey);
  if (!route) return undefined;
  if (start.earlierTurnId) followPreview(db, start.earlierTurnId, start.inboxIds);
  const started = sql(
    db,
    `UPDATE gw_inbox SET state = 'running', attempts = attempts + 1, boot_id = ?, turn_id = ?, started_at = ?, session_id = ?
       WHERE id IN (${marks(start.inboxIds)}) AND state = 'waiting' RETURNING *`,
  ).all(start.bootId, start.turnId, start.at, route.sessionId, ...start.inboxIds) as StoredInbox[];
  // Cancelled meanwhile, all of them.
  if (started.length === 0) return undefined;
  const withdrawnFrom = new Set(started.flatMap((row) => withdrawQuestion(db, row, route.sessionId)));
  sql(
    db,
    `UPDATE gw_routes SET epoch = epoch + 1, updated_at = max(updated_at, @at), last_user_activity = max(last_user_activity, @at)
     WHERE session_key = @key`,
  ).run({ at: start.at, key: start.sessionKey });
  const current = getRoute(db, start.sessionKey)!;
  return {
    route: current,
    session: requireSession(db, current.sessionId),
    epoch: current.epoch,
    attempt: Math.max(...started.map(({ attempts }) => attempts)),
    rows: started.map(toInboxRow).toSorted((a, b) => a.id - b.id),
    notes: openNotes(db, start.sessionKey, current.createdAt),
    withdrawnFrom: [...withdrawnFrom],
  };
}

/** The notice about a reset goes out with the first answer, once. */
const TOLD = { wasAutoReset: false, isFreshReset: false };

export function finishTurn(db: Database, finish: TurnFinish): boolean {
  if (!holdsEpoch(db, finish)) return false;
  if (finish.messages.length > 0) {
    const ids = appendMessages(db, finish.sessionId, finish.messages);
    addAuthors(db, finish.sessionId, ids, finish.authors ?? []);
  }
  addUsage(db, finish.sessionId, finish.usage);
  for (const person of finish.participants) addParticipant(db, finish.sessionId, person);
  sql(
    db,
    `UPDATE gw_routes SET updated_at = max(updated_at, ?), last_prompt_tokens = COALESCE(?, last_prompt_tokens),
       flags = json_patch(flags, ?) WHERE session_key = ?`,
  ).run(nowSeconds(), finish.lastPromptTokens ?? null, JSON.stringify(TOLD), finish.sessionKey);
  finishInbox(db, finish.inboxIds, { state: "done" });
  takeNotes(db, finish.notes ?? []);
  addReplies(db, finish);
  leavePreview(db, finish.inboxIds[0], finish.said);
  if (finish.end !== undefined) closeRoute(db, finish.sessionKey, finish.sessionId, finish.end);
  return true;
}

/** Its rows are a turn's own as long as no other turn has them: also when the route has moved on meanwhile. */
export function failTurn(db: Database, failed: TurnFailure): { kept: boolean } | undefined {
  const { next, error, turnId } = failed;
  const ids = sql(db, `SELECT id FROM gw_inbox WHERE turn_id = ? AND state = 'running' AND ${OPEN_IN}`)
    .pluck()
    .all(turnId) as number[];
  if (ids.length === 0) return undefined;
  const kept = keepQuestion(db, failed);
  finishInbox(db, ids, { error, ...next });
  addReplies(db, failed);
  leavePreview(db, failed.inboxIds[0], failed.said);
  endWith(db, failed.sessionKey, failed.end);
  return { kept };
}

/** The question of a failed turn stays in the session, so that the next turn knows about it. */
function keepQuestion(db: Database, { sessionKey, unanswered }: TurnFailure): boolean {
  if (!unanswered) return false;
  const { sessionId, epoch, questions, participants } = unanswered;
  if (!holdsEpoch(db, { sessionKey, epoch })) return false;
  for (const { inboxId, messages, author } of questions) {
    const ids = appendMessages(db, sessionId, messages);
    addAuthors(
      db,
      sessionId,
      ids,
      ids.map(() => author),
    );
    sql(db, "UPDATE gw_inbox SET unanswered_ids = ? WHERE id = ?").run(JSON.stringify(ids), inboxId);
  }
  for (const person of participants) addParticipant(db, sessionId, person);
  return true;
}

/** A failed message is asked again: its new turn brings the question once more. */
function withdrawQuestion(
  db: Database,
  { id, unanswered_ids: ids }: StoredInbox,
  current: SessionId,
): SessionId[] {
  if (ids === null) return [];
  sql(db, "UPDATE gw_inbox SET unanswered_ids = NULL WHERE id = ?").run(id);
  // A compression since then has carried a copy into the present session.
  const copies = sql(
    db,
    `SELECT max(copy.id) FROM messages kept JOIN messages copy
       ON copy.session_id = @current AND copy.role = kept.role AND copy.content = kept.content AND copy.active = 1
     WHERE kept.id IN (SELECT value FROM json_each(@ids)) AND kept.session_id <> @current GROUP BY kept.id`,
  )
    .pluck()
    .all({ current, ids }) as number[];
  const withdrawn = JSON.stringify([...(JSON.parse(ids) as number[]), ...copies]);
  return sql(
    db,
    "UPDATE messages SET active = 0 WHERE id IN (SELECT value FROM json_each(?)) AND active = 1 RETURNING session_id",
  )
    .pluck()
    .all(withdrawn) as SessionId[];
}

/** Commands are no turns. */
export function runningTurns(db: Database, bootId: string): RunningRow[] {
  return sql(
    db,
    `SELECT id AS inboxId, turn_id AS turnId, session_key AS sessionKey FROM gw_inbox
     WHERE state = 'running' AND ${OPEN_IN} AND boot_id = ? AND reason IS NULL AND turn_id IS NOT NULL ORDER BY id`,
  ).all(bootId) as RunningRow[];
}

/** Since the chat came into its session; a summary in between makes no difference. */
export function askAgain(db: Database, key: SessionKey): InboxRow[] {
  const route = getRoute(db, key);
  if (!route) return [];
  const { platform, chatId } = route.origin;
  const last = sql(
    db,
    `SELECT turn_id FROM gw_inbox WHERE platform = ? AND chat_id IS ? AND session_key = ? AND turn_id IS NOT NULL
       AND started_at >= ? ORDER BY id DESC LIMIT 1`,
  )
    .pluck()
    .get(platform, chatId, key, route.createdAt) as string | undefined;
  if (last === undefined) return [];
  // Whatever has another reason is not for anybody to ask again: it was erased, say.
  const rows = sql(
    db,
    `UPDATE gw_inbox SET state = 'waiting', attempts = 0, not_before = 0, finished_at = NULL, error = NULL, reason = NULL
     WHERE turn_id = ? AND state IN ('dead', 'cancelled') AND (reason IS NULL OR reason = 'stopped') RETURNING *`,
  ).all(last) as StoredInbox[];
  return rows.map(toInboxRow).toSorted((a, b) => a.id - b.id);
}

/** Ends what a key's route points at, together with the route. */
export function endWith(db: Database, sessionKey: string, end: EndReason | undefined): void {
  const route = end === undefined ? undefined : getRoute(db, sessionKey);
  if (route) closeRoute(db, sessionKey, route.sessionId, end!);
}

/** A turn of an older epoch has been overtaken: by a reset, a stop, a split, a restart. It writes nothing. */
function holdsEpoch(db: Database, turn: { sessionKey: string; epoch: number }): boolean {
  return getRoute(db, turn.sessionKey)?.epoch === turn.epoch;
}

/** The answer takes the place of the message that showed it while it was written. */
function addReplies(
  db: Database,
  turn: Pick<TurnFinish, "turnId" | "inboxIds" | "replies" | "sessionKey">,
): void {
  const [inboxId] = turn.inboxIds;
  for (const [part, reply] of turn.replies.entries()) {
    addReply(
      db,
      { sessionKey: turn.sessionKey, ...reply },
      {
        turnId: turn.turnId,
        nonce: `${turn.turnId}.${part}`,
        ...(inboxId === undefined ? {} : { inboxId }),
        ...(reply.kind === "answer" && inboxId !== undefined ? takePreview(db, inboxId) : {}),
      },
    );
  }
}
