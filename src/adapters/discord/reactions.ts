/** The state of a message as a reaction. */
import type { REST } from "discord.js";
import type { Target } from "../../message.js";
import type { ReactionState } from "../adapter.js";
import { isId } from "./ids.js";

const EMOJI: Record<ReactionState, string> = { working: "👀", done: "✅", failed: "❌" };

export async function showReaction(
  rest: REST,
  { threadId, chatId, replyTo }: Target,
  state: ReactionState | null,
  signal: AbortSignal,
): Promise<void> {
  const channelId = threadId ?? chatId ?? "";
  if (!isId(channelId) || replyTo === null || !isId(replyTo)) return;
  const path = (emoji: string) =>
    `/channels/${channelId}/messages/${replyTo}/reactions/${encodeURIComponent(emoji)}/@me` as const;
  if (state !== null) await rest.put(path(EMOJI[state]), { signal });
  if (state !== "working") await rest.delete(path(EMOJI.working), { signal });
}
