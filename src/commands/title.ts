import type { SessionRow } from "../session.js";
import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { currentSession, named, noSession } from "./parts/current-session.js";
import { rawArgs } from "./parts/raw-args.js";
import { code } from "./parts/text.js";
import { cleanTitle, unlessTaken } from "./parts/titling.js";

export const title: Command = {
  name: "title",
  usage: "[text]",
  description: "Show or set the session's title",
  group: "conversation",
  when: "now",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const session = currentSession(call);
  if (!session) return { reply: await noSession(call) };
  const text = rawArgs(call);
  return { reply: text === "" ? show(session) : await rename(call, session, text) };
}

function show(session: SessionRow): string {
  const hint = session.title === null ? "has no title yet; `/title <text>` sets one." : "is this session.";
  return `${named(session)} ${hint}`;
}

async function rename(call: CommandCall, session: SessionRow, text: string): Promise<string> {
  const wanted = cleanTitle(text);
  if ("fault" in wanted) return wanted.fault;
  const { title } = wanted;
  if (title === null) return "That title has no readable characters. Try another one.";
  const set = await unlessTaken(call, title, () => call.gateway.store.setTitle(session.id, title));
  if ("taken" in set) return `${set.taken} Choose another one.`;
  return set.done
    ? `This session is now ${code(title)}.`
    : "This session no longer exists. /new starts a new one.";
}
