import type { Origin } from "../message.js";
import { senderPrefix } from "../sender-name.js";
import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { currentSession, noSession } from "./parts/current-session.js";
import { type Turn, turnsOf, undoTurns } from "./parts/turns.js";

export const retry: Command = {
  name: "retry",
  description: "Answer the last message again",
  group: "conversation",
  when: "idle",
  rewrites: true,
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const session = currentSession(call);
  if (!session) return { reply: await noSession(call) };
  // A stopped or failed message is run again unchanged; an answered one is undone first.
  if (await call.gateway.askAgain(call.key)) return {};
  const { store } = call.gateway;
  const last = (await turnsOf(store, session.id)).at(-1);
  if (!last) return { reply: "There is nothing to retry." };
  const text = textOf(last, call.message.origin);
  if (text === undefined) return { reply: "The last message had more than text. Please send it again." };
  await undoTurns(store, session.id, [last]);
  return { turn: { text } };
}

/** Undefined if a part isn't text: the new turn would lose an image, so nothing is undone. */
function textOf(turn: Turn, origin: Origin): string | undefined {
  const texts = turn.map(({ content }) => content).filter((content) => typeof content === "string");
  const text = texts.map((content) => withoutSender(content, origin)).join("\n");
  return texts.length < turn.length || text.trim() === "" ? undefined : text;
}

/** In shared sessions the sender's name precedes the text; the new turn adds the asker's. */
function withoutSender(text: string, origin: Origin): string {
  const sender = senderPrefix(origin);
  return origin.chatType !== "dm" && text.startsWith(sender) ? text.slice(sender.length) : text;
}
