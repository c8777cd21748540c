import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { rawArgs } from "./parts/raw-args.js";
import { resumeSession } from "./parts/resume-session.js";
import { showSessions } from "./parts/show-sessions.js";
import { code } from "./parts/text.js";

export const sessions: Command = {
  name: "sessions",
  usage: "[list or target]",
  description: "List your recent sessions, or return to one",
  group: "conversation",
  when: "now",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const target = rawArgs(call);
  if (target === "" || target.toLowerCase() === "list") return { reply: await showSessions(call) };
  // Switching now would lose the running answer; /resume waits for it.
  if (call.gateway.isRunning(call.key)) {
    return { reply: `I'm still answering here. ${code(`/resume ${target}`)} switches after that.` };
  }
  return resumeSession(call, target);
}
