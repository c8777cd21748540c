/** The state of a message as a reaction; needs the scope reactions:write. */
import type { Target } from "../../message.js";
import type { ReactionState } from "../adapter.js";
import type { SlackApi } from "./api.js";
import { slackCode } from "./errors.js";
import { isTs } from "./ids.js";

const NAMES: Record<ReactionState, string> = { working: "eyes", done: "white_check_mark", failed: "x" };
/** It is as it should be. */
const FINE = new Set(["already_reacted", "no_reaction"]);

export async function showReaction(
  api: SlackApi,
  { chatId: channel, replyTo: timestamp }: Target,
  state: ReactionState | null,
  signal: AbortSignal,
): Promise<void> {
  if (channel === null || !isTs(timestamp)) return;
  const change = async (method: string, name: string) => {
    try {
      await api.call(method, { channel, timestamp, name }, { signal });
    } catch (error) {
      if (!FINE.has(slackCode(error) ?? "")) throw error;
    }
  };
  if (state !== null) await change("reactions.add", NAMES[state]);
  if (state !== "working") await change("reactions.remove", NAMES.working);
}
