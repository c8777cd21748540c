/** Sends, withdraws, edits and regenerates messages, switches branches, and handles pressed buttons. */
import { createHash } from "node:crypto";
import { readPress } from "../../adapters/kit/buttons.js";
import type { Accepted, EditMessage, Press, SendMessage } from "../../adapters/web/api.js";
import { ACCOUNT, MAIN, PLATFORM } from "../../adapters/web/normalise.js";
import { LABEL_CHARS } from "../../adapters/web/questions.js";
import { nowSeconds } from "../../clock.js";
import { HermesError } from "../../errors.js";
import type { Attachment, InboundMessage } from "../../message.js";
import { isolationOf } from "../../rules.js";
import type { SessionId } from "../../session.js";
import { originTuple } from "../../sessions/key.js";
import { shortLabel } from "../../text/choices.js";
import { type ConversationScope, liveOf, logOf, messageRef, requireRow, routeOf, rowOf } from "./chat.js";
import { takeUploads, uploadsOf } from "./files.js";
import { forkFrom, nodesOf } from "./forks.js";
import { type Identified, typedText, userId } from "./history.js";

export async function sendMessage(
  scope: ConversationScope,
  { clientId, text, files = [] }: SendMessage,
): Promise<Accepted> {
  if (text.trim() === "" && files.length === 0)
    throw new HermesError("invalid", "A message needs text or a file");
  await continueSession(scope);
  const attachments = await takeUploads(scope, clientId, files);
  return receive(scope, messageOf(scope, clientId, text, attachments));
}

export async function press(scope: ConversationScope, { clientId, button, text }: Press): Promise<Accepted> {
  const choice = readPress(button);
  if (!choice) throw new HermesError("invalid", "There is no such button");
  const label = shortLabel(text, LABEL_CHARS) || choice.choiceId;
  return receive(scope, { ...messageOf(scope, clientId, label, []), choice });
}

async function receive({ chat }: ConversationScope, message: InboundMessage): Promise<Accepted> {
  const { inbox } = chat.adapter;
  if (!inbox)
    throw new HermesError("unavailable", "The gateway is starting or stopping; try again in a moment");
  await inbox.receive(message);
  return { accepted: true, clientId: message.eventId };
}

function messageOf(
  scope: ConversationScope,
  clientId: string,
  text: string,
  attachments: Attachment[],
): InboundMessage {
  return {
    ...{ platform: PLATFORM, account: ACCOUNT, eventId: clientId, attachments },
    origin: { ...scope.origin, messageId: clientId },
    text: text.trim(),
    sentAt: nowSeconds(),
    ...(scope.traceId === undefined ? {} : { traceId: scope.traceId }),
    ...{ mentioned: false, repliedToBot: false, threadWithBot: false, isBot: false, authenticated: true },
  };
}

/** If the conversation is a session without a chat, points the conversation's route to it. */
async function continueSession(scope: ConversationScope): Promise<void> {
  const { chat, id, key, origin } = scope;
  if (id === MAIN || (await chat.store.getRoute(key))) return;
  const row = await rowOf(scope);
  if (!row) return;
  const now = nowSeconds();
  await chat.store.adopt({
    routes: [
      {
        ...{ sessionKey: key, sessionId: row.sessionId, origin, createdAt: now, updatedAt: now },
        tuple: originTuple(origin, isolationOf(chat.config)),
        ...{ lastPromptTokens: 0, flags: {} },
      },
    ],
  });
  await chat.store.switchRoute({ sessionKey: key, sessionId: row.sessionId, endReason: "session_switch" });
}

/** Throws if the message's turn has started. */
export async function withdraw(scope: ConversationScope, clientId: string): Promise<void> {
  const { chat, person, id: conversationId } = scope;
  if (!(await chat.gateway.withdraw(messageRef(scope, clientId))))
    throw new HermesError("conflict", "This message is being answered, or was withdrawn before");
  liveOf(scope).publish(person.id, { type: "withdrawn", conversationId, clientId });
}

// ── branches ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Sends the edited message in a fork of the session that ends before the original. */
export async function editMessage(
  scope: ConversationScope,
  { messageId, ...message }: EditMessage,
): Promise<Accepted> {
  await forkOnce(scope, message.clientId, (rows) =>
    rows.findIndex((row) => row.role === "user" && userId(row) === messageId),
  );
  return sendMessage(scope, message);
}

/** Sends the last message again, with its files. */
export async function regenerate(scope: ConversationScope, clientId: string): Promise<Accepted> {
  const asked = await forkOnce(scope, clientId, (rows) => rows.findLastIndex(({ role }) => role === "user"));
  const uploads = asked.platformMessageId === null ? [] : await uploadsOf(scope, asked.platformMessageId);
  const ids = uploads.map(({ id }) => id);
  const attachments = await takeUploads(scope, clientId, ids);
  const text = (await queuedText(scope, asked)) ?? typedText(asked.text, uploads.length);
  return receive(scope, messageOf(scope, clientId, text, attachments));
}

/** The message's text in the queues, if it is still there. The session lacks texts that the model refused. */
async function queuedText(scope: ConversationScope, { platformMessageId }: Row): Promise<string | undefined> {
  const entries = await logOf(scope);
  return entries.find(({ written }) => written?.eventId === platformMessageId)?.text;
}

export async function switchBranch(scope: ConversationScope, branch: SessionId): Promise<void> {
  const { chat, key } = scope;
  const row = await requireRow(scope);
  if (!row.sessions.includes(branch)) throw new HermesError("not_found", "There is no such branch");
  if (chat.gateway.isBusy(key)) throw new HermesError("conflict", "Wait for the answer, or stop it first");
  await continueSession(scope);
  const { tip } = await chat.store.getLineage(branch);
  await chat.store.switchRoute({ sessionKey: key, sessionId: tip, endReason: "session_switch" });
  branched(scope);
}

/**
 * Forks the shown branch before one of its messages, and returns that message. Stops a running turn first, so
 * that its message is part of the session. Idempotent.
 */
async function forkOnce(
  scope: ConversationScope,
  clientId: string,
  find: (rows: readonly Row[]) => number,
): Promise<Row> {
  const { chat, key } = scope;
  const { store } = chat;
  const id = `fork_${createHash("sha256").update(`${key} ${clientId}`).digest("hex").slice(0, 24)}`;
  if (await store.getSession(id)) return replacedMessage(scope, id);
  await chat.gateway.stopTurn(key);
  await continueSession(scope);
  const sessionId = (await routeOf(scope))?.sessionId ?? (await requireRow(scope)).sessionId;
  const rows = await rowsOf(scope, sessionId);
  const index = find(rows);
  const message = rows[index];
  if (!message) throw new HermesError("not_found", "There is no such message in this conversation");
  const { ancestors } = await store.getLineage(sessionId);
  const nodes = nodesOf(await store.getLineage(ancestors[0]?.id ?? sessionId));
  const { parent } = forkFrom(nodes, sessionId, index);
  const before = (await store.getMessages(parent))[index]?.id;
  if (before === undefined) throw new HermesError("conflict", "The conversation has changed; read it again");
  await store.switchRoute({
    ...{ sessionKey: key, sessionId: parent, endReason: "session_switch" },
    copy: { id, before },
  });
  branched(scope);
  return message;
}

function branched(scope: ConversationScope): void {
  liveOf(scope).publish(scope.person.id, { type: "branched", conversationId: scope.id });
}

/** The message that a fork replaces. */
async function replacedMessage(scope: ConversationScope, id: SessionId): Promise<Row> {
  const { session } = await scope.chat.store.getLineage(id);
  const { fork, parent_session_id: parent } = session;
  const rows = parent === null ? [] : await rowsOf(scope, parent);
  const message = rows[fork?.messages ?? -1];
  if (!message) throw new HermesError("not_found", "There is no such message in this conversation");
  return message;
}

type Row = Identified & { role: string; text: string };

/** All messages that aren't undone, in order. Forks count their messages in this list. */
async function rowsOf({ chat }: ConversationScope, sessionId: SessionId): Promise<Row[]> {
  const rows = await chat.store.getMessages(sessionId);
  return rows.map(({ id, role, content, platform_message_id: platformMessageId }) => ({
    ...{ id, role, platformMessageId, undone: false },
    text: typeof content === "string" ? content : "",
  }));
}
