import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { resumeSession } from "./parts/resume-session.js";
import { showSessions } from "./parts/show-sessions.js";
import { code } from "./parts/text.js";
import { wordsOf } from "./parts/words.js";

export const sessions: Command = {
  name: "sessions",
  usage: "[list or target]",
  description: "List your last sessions, or go back to one",
  group: "conversation",
  when: "now",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const target = wordsOf(call);
  if (target === "" || target.toLowerCase() === "list") return { reply: await showSessions(call) };
  // Switching at once would lose the running answer; /resume waits for its turn.
  if (call.gateway.isRunning(call.key)) {
    return { reply: `I am still answering here. ${code(`/resume ${target}`)} switches when that is done.` };
  }
  return resumeSession(call, target);
}
