import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { currentSession, noSession } from "./parts/current-session.js";
import { turnsOf } from "./parts/turns.js";

export const retry: Command = {
  name: "retry",
  description: "Answer the last message once more",
  group: "conversation",
  when: "idle",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const session = currentSession(call);
  if (!session) return { reply: await noSession(call) };
  const { store } = call.gateway;
  const last = (await turnsOf(store, session.id)).at(-1);
  if (!last) return { reply: "There is nothing to retry." };
  // A turn is made from text: a picture would be missing from it, so nothing is taken back.
  if (typeof last.content !== "string" || last.content.trim() === "") {
    return { reply: "The last message was more than text. Please send it again." };
  }
  await store.undoTurns(session.id, 1);
  return { turn: { text: last.content } };
}
