import type { SessionRow } from "../session.js";
import type { RouteRow } from "../store/queues.js";
import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { currentSession, named, noSession, wayBack } from "./parts/current-session.js";
import { rawArgs } from "./parts/raw-args.js";
import { lines } from "./parts/text.js";
import { cleanTitle, unlessTaken } from "./parts/titling.js";

export const branch: Command = {
  name: "branch",
  aliases: ["fork"],
  usage: "[title]",
  description: "Continue in a copy; the original stays unchanged",
  group: "conversation",
  when: "idle",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const session = currentSession(call);
  if (!session) return { reply: await noSession(call) };
  if (session.message_count === 0) return { reply: "There is nothing to branch from yet." };
  const wanted = cleanTitle(rawArgs(call));
  if ("fault" in wanted) return { reply: wanted.fault };
  const { title } = wanted;
  const branched = await unlessTaken(call, title, () => call.gateway.branchSession(call, title ?? undefined));
  if ("taken" in branched) return { reply: `${branched.taken} Choose another one.` };
  return { reply: await report(call, session, branched.done) };
}

async function report(call: CommandCall, original: SessionRow, route: RouteRow | undefined): Promise<string> {
  const copy = route && (await call.gateway.store.getSession(route.sessionId));
  if (!copy) return noSession(call);
  return lines(`🌿 You are now in a copy: ${named(copy)}`, await wayBack(call, original));
}
