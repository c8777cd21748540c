import { isSummary } from "../../../policies/compression.js";
import type { ChatMessage, SessionId } from "../../../session.js";
import type { Store } from "../../../store/store.js";

/** What was said in one go: messages that came together are answered together. */
export type Turn = ChatMessage[];

/**
 * What people said, oldest first, as far as it can be taken back: not over a summary. It may stand there as a user
 * message itself, and without it the session would forget what it is about.
 */
export async function turnsOf(store: Store, id: SessionId): Promise<Turn[]> {
  const messages = await store.getConversation(id);
  const turns: Turn[] = [];
  let goesOn = false;
  for (const message of messages.slice(messages.findLastIndex(isSummary) + 1)) {
    const said = message.role === "user";
    if (said && goesOn) turns.at(-1)!.push(message);
    else if (said) turns.push([message]);
    goesOn = said;
  }
  return turns;
}

/** Takes back whole turns, given newest last. */
export async function undoTurns(store: Store, id: SessionId, turns: readonly Turn[]): Promise<string[]> {
  return (await store.undoTurns(id, turns.flat().length)).texts;
}
