import { isSummary } from "../../../policies/compression.js";
import type { ChatMessage, SessionId } from "../../../session.js";
import type { Store } from "../../../store/store.js";

/**
 * What people said, oldest first, as far as it can be taken back: not over a summary. It may stand there as a user
 * message itself, and without it the session would forget what it is about.
 */
export async function turnsOf(store: Store, id: SessionId): Promise<ChatMessage[]> {
  const messages = await store.getConversation(id);
  const summary = messages.findLastIndex(isSummary);
  return messages.slice(summary + 1).filter(({ role }) => role === "user");
}
