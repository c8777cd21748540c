/** The state of a message as a reaction. Telegram allows bots a fixed set of them: ✅ and ❌ aren't among these. */
import type { Target } from "../../message.js";
import type { ReactionState } from "../adapter.js";
import { asSignal, type TelegramApi } from "./api.js";
import type { CallTargets } from "./call-targets.js";

const EMOJI = { working: "👀", done: "👍", failed: "👎" } as const satisfies Record<ReactionState, string>;

/** A bot has one reaction on a message: it replaces the one before. */
export async function showReaction(
  { api, targets }: { api: TelegramApi; targets: CallTargets },
  target: Target,
  state: ReactionState | null,
  signal: AbortSignal,
): Promise<void> {
  const { chatId, replyTo } = targets.resolve(target);
  if (replyTo === undefined) return;
  const wanted = state === null ? [] : [{ type: "emoji" as const, emoji: EMOJI[state] }];
  await api.call.setMessageReaction(chatId, replyTo, wanted, {}, asSignal(signal));
}
