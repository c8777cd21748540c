import type { Database } from "better-sqlite3";
import { newSessionId, nowSeconds } from "../../clock.js";
import { HermesError } from "../../errors.js";
import type { NewMessage, SessionId, SessionRow } from "../../session.js";
import type { SessionCopy } from "../queues.js";
import type { Fork, Lineage, LineageNode, Split } from "../store.js";
import { appendMessages, getMessages } from "./messages.js";
import { addAuthors, authorsOf, createSession, getRoom, getSession, requireSession } from "./sessions.js";
import { sql } from "./statements.js";
import { freeTitle } from "./titles.js";
import { read, write } from "./verb.js";

const MAX_STEPS = 100;
const MAX_DESCENDANTS = 10_000;

type Kind = LineageNode["kind"];

/** Markers that Hermes keeps in `model_config`. */
function markers(session: SessionRow): { branchedFrom: boolean; delegateFrom: boolean } {
  const config = session.model_config ?? "";
  return {
    branchedFrom: config.includes('"_branched_from"'),
    delegateFrom: config.includes('"_delegate_from"'),
  };
}

/** How many of the parent's messages a fork has. */
export function forkOf({ model_config }: Pick<SessionRow, "model_config">): Fork | undefined {
  if (!model_config?.includes('"_fork"')) return undefined;
  const { _fork } = JSON.parse(model_config) as { _fork?: Fork };
  return _fork;
}

/** A session's relation to its parent. Only a child that started after its parent ended continues it. */
export function kindOf(session: SessionRow, parent: SessionRow | undefined): Kind {
  const { branchedFrom, delegateFrom } = markers(session);
  if (delegateFrom) return "delegate";
  if (!parent) return "root";
  if (branchedFrom) return "branch";
  const followed = parent.ended_at !== null && session.started_at >= parent.ended_at;
  if (followed && parent.end_reason === "compression") return "compression";
  if (followed && parent.end_reason === "branched") return "branch";
  return "child";
}

export function parentOf(db: Database, session: SessionRow): SessionRow | undefined {
  return session.parent_session_id === null ? undefined : getSession(db, session.parent_session_id);
}

/** The session in which a conversation continues: follows the newest compression child to the end. */
export function tipOf(db: Database, session: SessionRow): SessionRow {
  let tip = session;
  for (let step = 0; step < MAX_STEPS && tip.end_reason === "compression"; step += 1) {
    const child = childrenOf(db, tip.id)
      .filter((row) => kindOf(row, tip) === "compression")
      .at(-1);
    if (!child) break;
    tip = child;
  }
  return tip;
}

/** Up the compression links: the session that a list shows for this one. */
export function rootOf(db: Database, session: SessionRow): SessionRow {
  return continuedBy(db, session).at(-1)!;
}

/** The session and its compression ancestors, up to the first. */
export function continuedBy(db: Database, session: SessionRow): SessionRow[] {
  const rows = [session];
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const child = rows.at(-1)!;
    const parent = parentOf(db, child);
    if (!parent || kindOf(child, parent) !== "compression") break;
    rows.push(parent);
  }
  return rows;
}

/** Oldest first. */
function childrenOf(db: Database, id: SessionId): SessionRow[] {
  return sql(db, "SELECT * FROM sessions WHERE parent_session_id = ? ORDER BY started_at, id").all(
    id,
  ) as SessionRow[];
}

export const getLineage = read(function getLineage(db: Database, id: SessionId): Lineage {
  const session = requireSession(db, id);
  const ancestors: SessionRow[] = [];
  for (let up = parentOf(db, session); up && ancestors.length < MAX_STEPS; up = parentOf(db, up))
    ancestors.unshift(up);
  const tip = tipOf(db, session);
  return {
    ancestors: ancestors.map((row, i) => toNode(row, ancestors[i - 1])),
    session: toNode(session, ancestors.at(-1)),
    descendants: descendantsOf(db, session),
    tip: tip.id,
    room: getRoom(db, tip.id),
  };
});

/** Depth first; skips rows seen before, in case of a hand-made cycle. */
function descendantsOf(db: Database, top: SessionRow): LineageNode[] {
  const seen = new Set([top.id]);
  const nodes: LineageNode[] = [];
  const stack = childrenOf(db, top.id)
    .map((row) => ({ row, parent: top }))
    .reverse();
  for (let next = stack.pop(); next && nodes.length < MAX_DESCENDANTS; next = stack.pop()) {
    const { row, parent } = next;
    if (seen.has(row.id)) continue;
    seen.add(row.id);
    nodes.push(toNode(row, parent));
    stack.push(
      ...childrenOf(db, row.id)
        .map((child) => ({ row: child, parent: row }))
        .reverse(),
    );
  }
  return nodes;
}

function toNode(row: SessionRow, parent: SessionRow | undefined): LineageNode {
  const { id, title, source, started_at, ended_at, end_reason, message_count, parent_session_id } = row;
  const [kind, fork] = [kindOf(row, parent), forkOf(row)];
  return {
    ...{ id, title, source, started_at, ended_at, end_reason, message_count, parent_session_id, kind },
    ...(fork ? { fork } : {}),
  };
}

/** The continuation of a branch isn't a branch itself. */
function withoutBranch(modelConfig: string | null): string | null {
  if (!modelConfig?.includes('"_branched_from"')) return modelConfig;
  const { _branched_from, _fork, ...rest } = JSON.parse(modelConfig) as Record<string, unknown>;
  return JSON.stringify(rest);
}

/** Compare-and-swap on the parent's end: the second of two concurrent splits finds it ended and changes nothing. */
export const splitSession = write(function splitSession(db: Database, split: Split): SessionRow | undefined {
  const now = nowSeconds();
  const end = sql(db, "UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ? AND ended_at IS NULL");
  const won = end.run(now, split.reason ?? "compression", split.parentId).changes > 0;
  const parent = requireSession(db, split.parentId);
  if (!won) return undefined;
  const id = split.childId ?? newSessionId();
  if (getSession(db, id)) throw new HermesError("conflict", `Session '${id}' exists already.`);
  createSession(db, {
    id,
    source: parent.source,
    user_id: parent.user_id,
    model: parent.model,
    model_config: split.modelConfig === undefined ? withoutBranch(parent.model_config) : split.modelConfig,
    system_prompt: split.systemPrompt === undefined ? parent.system_prompt : split.systemPrompt,
    parent_session_id: parent.id,
    started_at: now,
    title: parent.title === null ? null : freeTitle(db, parent.title),
    cwd: parent.cwd,
  });
  copyParticipants(db, parent.id, id);
  if (split.messages && split.messages.length > 0) appendMessages(db, id, split.messages);
  return requireSession(db, id);
});

/** Copies a conversation or its beginning, with authors. The original doesn't change. */
export function branchSession(db: Database, { sessionId, title, owner, id, before }: Branch): SessionRow {
  const original = requireSession(db, sessionId);
  const repeated = id === undefined ? undefined : getSession(db, id);
  if (repeated) return repeated;
  const messages = getMessages(db, sessionId).filter(
    (message) => before === undefined || message.id < before,
  );
  const fork = before === undefined ? {} : { _fork: { messages: messages.length } satisfies Fork };
  const { model, system_prompt, cwd } = original;
  const copy = createSession(db, {
    ...{ model, system_prompt, cwd, ...(id === undefined ? {} : { id }) },
    source: owner?.platform ?? original.source,
    user_id: owner?.userId ?? original.user_id,
    model_config: JSON.stringify({ _branched_from: sessionId, ...fork }),
    parent_session_id: sessionId,
    title: title ?? (original.title === null ? null : freeTitle(db, original.title)),
  });
  const authors = authorsOf(db, sessionId);
  const written = messages.map((message) => authors.get(message.id) ?? null);
  addAuthors(db, copy.id, appendMessages(db, copy.id, messages as NewMessage[]), written);
  if (!owner) copyParticipants(db, sessionId, copy.id);
  return requireSession(db, copy.id);
}

type Branch = SessionCopy & { sessionId: SessionId };

function copyParticipants(db: Database, from: SessionId, to: SessionId): void {
  sql(
    db,
    `INSERT OR IGNORE INTO gw_participants (session_id, platform, user_id)
     SELECT ?, platform, user_id FROM gw_participants WHERE session_id = ?`,
  ).run(to, from);
}
