import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { resumeSession } from "./parts/resume-session.js";
import { showSessions } from "./parts/show-sessions.js";
import { wordsOf } from "./parts/words.js";

/** Waits for the running turn: its answer belongs to the session that is left. /sessions shows the list at once. */
export const resume: Command = {
  name: "resume",
  usage: "[number, title or id]",
  description: "Go back to an earlier session",
  group: "conversation",
  when: "idle",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const reference = wordsOf(call);
  return reference === "" ? { reply: await showSessions(call) } : resumeSession(call, reference);
}
