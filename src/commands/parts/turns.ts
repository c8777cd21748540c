import { isSummary } from "../../policies/compression.js";
import type { ChatMessage, SessionId } from "../../session.js";
import type { Store } from "../../store/store.js";

/** The user messages of one turn: consecutive messages are answered together. */
export type Turn = ChatMessage[];

/**
 * The turns that can be undone, oldest first: only those after the last summary. A summary may itself be a user
 * message, and without it the session would lose its context.
 */
export async function turnsOf(store: Store, id: SessionId): Promise<Turn[]> {
  const messages = await store.getConversation(id);
  const turns: Turn[] = [];
  let isSameTurn = false;
  for (const message of messages.slice(messages.findLastIndex(isSummary) + 1)) {
    const isUser = message.role === "user";
    if (isUser && isSameTurn) turns.at(-1)!.push(message);
    else if (isUser) turns.push([message]);
    isSameTurn = isUser;
  }
  return turns;
}

/** Undoes whole turns. `turns`: newest last. */
export async function undoTurns(store: Store, id: SessionId, turns: readonly Turn[]): Promise<string[]> {
  return (await store.undoTurns(id, turns.flat().length)).texts;
}
