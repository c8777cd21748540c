/** The typing indicator. */
import type { Target } from "../../message.js";
import { asSignal, type TelegramApi } from "./api.js";
import type { CallTargets } from "./call-targets.js";
import { retryAfterMs } from "./faults.js";

/** The sign lasts five seconds, and the next one is due after four. */
const TIMEOUT_MS = 4000;

/** Doesn't wait for the result: a missing sign is harmless. */
export function showTyping(api: TelegramApi, targets: CallTargets, target: Target): void {
  const id = targets.chatIdOf(target);
  if (id === undefined || !targets.mayShowTyping(id)) return;
  const { chatId, thread } = targets.resolve(target, "typing");
  // A separate signal: the uplink's would accumulate a listener for every chat with a turn.
  const signal = asSignal(AbortSignal.timeout(TIMEOUT_MS));
  api.call.sendChatAction(chatId, "typing", thread, signal).catch((error: unknown) => {
    const waitMs = retryAfterMs(error);
    if (waitMs !== undefined) targets.limitSigns(chatId, waitMs);
  });
}
