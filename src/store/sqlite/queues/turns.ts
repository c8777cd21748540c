import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { EndReason, SessionId } from "../../../session.js";
import {
  isTakenOver,
  type OutboxRow,
  type RouteRow,
  type StartedTurn,
  type TurnFailure,
  type TurnFinish,
  type TurnStart,
} from "../../queues.js";
import { type StoredInbox, type StoredRoute, toInboxRow, toRoute } from "../../shared/rows.js";
import { appendMessages } from "../messages.js";
import { addAuthors, addParticipant, addUsage, getSession, requireSession } from "../sessions.js";
import { marks, sql } from "../statements.js";
import { write } from "../verb.js";
import { openNotes, takeNotes } from "./changes.js";
import { finishInbox } from "./inbox.js";
import { addReply, claimedOf, claimThese, storedReplies } from "./outbox.js";
import { followPreview, getPreview, leavePreview, takePreview } from "./previews.js";
import { closeRoute, getRoute, openForTurn } from "./routes.js";
import { OPEN_IN } from "./schema.js";
import { dropSteps, hasSteps, readSteps, takeSteps } from "./steps.js";

export const startTurn = write(function startTurn(db: Database, start: TurnStart): StartedTurn | undefined {
  const { sessionKey, expectedEpoch } = start;
  const known = getRoute(db, sessionKey);
  // An interrupted turn continues in its session, even if the session has become due for a reset.
  const open = known && hasSteps(db, start.earlierTurnId) ? undefined : start.open;
  const repeated = runningIn(db, start);
  if (known && repeated.length > 0) return startedTurn(db, known, repeated, { opened: open !== undefined });
  if (known && isTakenOver(known, nowSeconds()) && !hasSteps(db, start.earlierTurnId)) {
    keepForHuman(db, known, start);
    return undefined;
  }
  if (expectedEpoch !== undefined && (known?.epoch ?? null) !== expectedEpoch) return undefined;
  // A message that another process cancelled or erased must not open a session.
  if (open && !areWaiting(db, start.inboxIds)) return undefined;
  return begin(db, { ...start, open }, known);
});

/** A human answers: no turn, but the messages join the session, except those cancelled in the meantime. */
function keepForHuman(db: Database, { sessionId, sessionKey }: RouteRow, { keep = [], at }: TurnStart): void {
  const done = sql(
    db,
    `UPDATE gw_inbox SET state = 'done', reason = 'taken over', session_id = ?, finished_at = ?
     WHERE id = ? AND state = 'waiting'`,
  );
  const kept = keep.filter(({ inboxId }) => done.run(sessionId, nowSeconds(), inboxId).changes > 0);
  if (kept.length === 0) return;
  for (const { messages, author } of kept) {
    const ids = appendMessages(db, sessionId, messages);
    const authors = messages.map(() => author);
    addAuthors(db, sessionId, ids, authors);
    addParticipant(db, sessionId, author);
  }
  sql(
    db,
    `UPDATE gw_routes SET epoch = epoch + 1, updated_at = max(updated_at, @at),
       last_user_activity = max(last_user_activity, @at) WHERE session_key = @sessionKey`,
  ).run({ at, sessionKey });
}

type TurnBegin = Omit<TurnStart, "expectedEpoch">;

/** The caller has checked that the route is current. */
export function begin(db: Database, start: TurnBegin, known: RouteRow | undefined): StartedTurn | undefined {
  const { sessionKey, open, at } = start;
  const route = open ? openForTurn(db, known, open, { sessionKey, at }) : known;
  if (!route) return undefined;
  if (start.earlierTurnId) followPreview(db, start.earlierTurnId, start.inboxIds);
  const started = sql(
    db,
    `UPDATE gw_inbox SET state = 'running', attempts = attempts + 1, boot_id = ?, turn_id = ?, started_at = ?, session_id = ?
       WHERE id IN (${marks(start.inboxIds)}) AND state = 'waiting' RETURNING *`,
  ).all(start.bootId, start.turnId, start.at, route.sessionId, ...start.inboxIds) as StoredInbox[];
  // All were cancelled in the meantime.
  if (started.length === 0) return undefined;
  const steps = start.earlierTurnId ? takeSteps(db, start.earlierTurnId, start.turnId) : undefined;
  const withdrawnFrom = new Set(started.flatMap((row) => withdrawQuestion(db, row, route.sessionId)));
  const current = sql(
    db,
    `UPDATE gw_routes SET epoch = epoch + 1, updated_at = max(updated_at, @at), last_user_activity = max(last_user_activity, @heardAt)
     WHERE session_key = @key RETURNING *`,
    // Resuming a turn isn't activity: a reset that became due follows after it.
  ).get({ at, heardAt: steps ? 0 : at, key: sessionKey }) as StoredRoute;
  return startedTurn(db, toRoute(current), started, {
    withdrawnFrom: [...withdrawnFrom],
    opened: open !== undefined,
  });
}

/** The rows of a turn that has already started: the call is a repeat. */
function runningIn(
  db: Database,
  { inboxIds, turnId }: Pick<TurnStart, "inboxIds" | "turnId">,
): StoredInbox[] {
  return sql(
    db,
    `SELECT * FROM gw_inbox WHERE id IN (${marks(inboxIds)}) AND state = 'running' AND turn_id = ?`,
  ).all(...inboxIds, turnId) as StoredInbox[];
}

function startedTurn(
  db: Database,
  route: RouteRow,
  rows: readonly StoredInbox[],
  { opened, withdrawnFrom = [] }: { opened: boolean; withdrawnFrom?: SessionId[] },
): StartedTurn {
  const turnId = rows[0]?.turn_id;
  const steps = turnId ? readSteps(db, turnId) : undefined;
  const notes = openNotes(db, route.sessionKey, route.createdAt);
  return {
    route,
    session: requireSession(db, route.sessionId),
    epoch: route.epoch,
    attempt: Math.max(...rows.map(({ attempts }) => attempts)),
    rows: rows.map(toInboxRow).toSorted((a, b) => a.id - b.id),
    // Changes of its own messages are for the next turn: this one has already acted on them.
    notes: steps ? notes.filter(({ inboxId }) => !rows.some(({ id }) => id === inboxId)) : notes,
    withdrawnFrom,
    opened,
    preview: getPreview(db, Math.min(...rows.map(({ id }) => id))),
    steps,
  };
}

function areWaiting(db: Database, ids: readonly number[]): boolean {
  const query = `SELECT 1 FROM gw_inbox WHERE id IN (${marks(ids)}) AND state = 'waiting' LIMIT 1`;
  return sql(db, query).get(...ids) !== undefined;
}

/** The notice about a reset goes out once, with the first answer. */
const TOLD = { wasAutoReset: false, isFreshReset: false };

export const finishTurn = write(function finishTurn(
  db: Database,
  finish: TurnFinish,
): OutboxRow[] | undefined {
  const { turnId, claim } = finish;
  if (isDone(db, finish)) return claim ? claimedOf(db, turnId, claim) : [];
  if (!holdsEpoch(db, finish)) return undefined;
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
  const replies = addReplies(db, finish);
  leavePreview(db, finish.inboxIds[0], finish.said);
  dropSteps(db, turnId);
  if (finish.end !== undefined) closeRoute(db, finish.sessionKey, finish.sessionId, finish.end);
  if (claim?.sends) return storedReplies(db, replies);
  return claim ? claimThese(db, replies, claim) : [];
});

/** This turn has already finished: the call is a repeat. */
function isDone(db: Database, { inboxIds, turnId }: TurnFinish): boolean {
  if (inboxIds.length === 0) return false;
  return (
    sql(
      db,
      `SELECT 1 FROM gw_inbox WHERE id IN (${marks(inboxIds)}) AND state = 'done' AND turn_id = ? LIMIT 1`,
    ).get(...inboxIds, turnId) !== undefined
  );
}

/** A turn owns its rows until another turn takes them, even if the route has changed. */
export const failTurn = write(function failTurn(
  db: Database,
  failed: TurnFailure,
): { kept: boolean } | undefined {
  const { next, error, turnId } = failed;
  const ids = sql(db, `SELECT id FROM gw_inbox WHERE turn_id = ? AND state = 'running' AND ${OPEN_IN}`)
    .pluck()
    .all(turnId) as number[];
  if (ids.length === 0) return repeatedFailure(db, failed);
  const kept = keepQuestion(db, failed);
  finishInbox(db, ids, { error, ...next });
  addReplies(db, failed);
  leavePreview(db, failed.inboxIds[0], failed.said);
  if (next.state !== "waiting") dropSteps(db, turnId);
  endWith(db, failed.sessionKey, failed.end);
  return { kept };
});

/** The same result if this failure is already stored; undefined if the turn lost its rows. */
function repeatedFailure(
  db: Database,
  { inboxIds, turnId, next, error }: TurnFailure,
): { kept: boolean } | undefined {
  if (inboxIds.length === 0) return undefined;
  const rows = sql(
    db,
    `SELECT unanswered_ids FROM gw_inbox WHERE id IN (${marks(inboxIds)}) AND turn_id = ? AND state = ? AND error = ?`,
  )
    .pluck()
    .all(...inboxIds, turnId, next.state, error) as (string | null)[];
  return rows.length === 0 ? undefined : { kept: rows.some((ids) => ids !== null) };
}

/** A failed turn's question stays in the session, so that the next turn sees it. */
function keepQuestion(db: Database, { sessionKey, unanswered }: TurnFailure): boolean {
  if (!unanswered) return false;
  const { sessionId, epoch, questions, participants, steps } = unanswered;
  const mayKeep = steps ? getSession(db, sessionId) !== undefined : holdsEpoch(db, { sessionKey, epoch });
  if (!mayKeep) return false;
  for (const { inboxId, messages, author } of questions) {
    const ids = appendMessages(db, sessionId, messages);
    addAuthors(
      db,
      sessionId,
      ids,
      ids.map(() => author),
    );
    // A question with steps stays: a retry must know what was done.
    if (!steps)
      sql(db, "UPDATE gw_inbox SET unanswered_ids = ? WHERE id = ?").run(JSON.stringify(ids), inboxId);
  }
  if (steps) {
    appendMessages(db, sessionId, steps.messages);
    addUsage(db, sessionId, steps.usage);
  }
  for (const person of participants) addParticipant(db, sessionId, person);
  return true;
}

/** A failed message is retried: its new turn stores the question again. */
function withdrawQuestion(
  db: Database,
  { id, unanswered_ids: ids }: StoredInbox,
  current: SessionId,
): SessionId[] {
  if (ids === null) return [];
  sql(db, "UPDATE gw_inbox SET unanswered_ids = NULL WHERE id = ?").run(id);
  // A later compression copied it into the current session.
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

/** Ends the session of a key together with its route. */
export function endWith(db: Database, sessionKey: string, end: EndReason | undefined): void {
  const route = end === undefined ? undefined : getRoute(db, sessionKey);
  if (route) closeRoute(db, sessionKey, route.sessionId, end!);
}

/** A turn with an older epoch can't write: a reset, a stop, a split or a restart has overtaken it. */
function holdsEpoch(db: Database, turn: { sessionKey: string; epoch: number }): boolean {
  const current = sql(db, "SELECT epoch FROM gw_routes WHERE session_key = ?").pluck();
  return current.get(turn.sessionKey) === turn.epoch;
}

/** The preview that the answer replaces. */
function addReplies(
  db: Database,
  turn: Pick<TurnFinish, "turnId" | "inboxIds" | "replies" | "sessionKey" | "claim">,
): number[] {
  const [inboxId] = turn.inboxIds;
  return turn.replies.map((reply, part) =>
    addReply(
      db,
      { sessionKey: turn.sessionKey, ...reply },
      {
        turnId: turn.turnId,
        nonce: `${turn.turnId}.${part}`,
        sentBy: turn.claim?.sends ? turn.claim.bootId : undefined,
        ...(inboxId === undefined ? {} : { inboxId }),
        ...(reply.kind === "answer" && inboxId !== undefined ? takePreview(db, inboxId) : {}),
      },
    ),
  );
}
