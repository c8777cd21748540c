import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { rawArgs } from "./parts/raw-args.js";
import { resumeSession } from "./parts/resume-session.js";
import { showSessions } from "./parts/show-sessions.js";

/** Waits for the running turn, whose answer belongs to the current session. /sessions shows the list immediately. */
export const resume: Command = {
  name: "resume",
  usage: "[number, title or id]",
  description: "Return to an earlier session",
  group: "conversation",
  when: "idle",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const reference = rawArgs(call);
  return reference === "" ? { reply: await showSessions(call) } : resumeSession(call, reference);
}
