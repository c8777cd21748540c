import type { RouteRow } from "../store/queues.js";
import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { named, wayBack } from "./parts/current-session.js";
import { rawArgs } from "./parts/raw-args.js";
import { counted, lines } from "./parts/text.js";
import { cleanTitle, unlessTaken } from "./parts/titling.js";

export const newSession: Command = {
  name: "new",
  aliases: ["reset"],
  usage: "[title]",
  description: "Start a new session; the old one is kept",
  group: "conversation",
  when: "now",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const wanted = cleanTitle(rawArgs(call));
  if ("fault" in wanted) return { reply: wanted.fault };
  const stopped = await stopTurn(call);
  const { route, taken } = await start(call, wanted.title);
  const session = await call.gateway.store.getSession(route.sessionId);
  return {
    reply: lines(
      `✨ New session: ${named(session ?? { id: route.sessionId, title: null })}`,
      taken && `${taken} \`/title <text>\` names this one.`,
      stopped,
      call.session && call.session.message_count > 0 && (await wayBack(call, call.session)),
    ),
  };
}

/** A running turn would answer in a session that has ended. */
async function stopTurn({ gateway, key, inboxId }: CommandCall): Promise<string | undefined> {
  if (!gateway.isRunning(key)) return undefined;
  const { cancelled } = await gateway.stop(key, inboxId);
  const dropped = cancelled > 0 ? ` and dropped ${counted(cancelled, "waiting message")}` : "";
  return `I stopped the running turn${dropped}.`;
}

/** Starts the session even if the title is taken. */
async function start(call: CommandCall, title: string | null): Promise<{ route: RouteRow; taken?: string }> {
  const { gateway } = call;
  const started = await unlessTaken(call, title, () =>
    gateway.startSession(call, title === null ? {} : { title }),
  );
  if ("done" in started) return { route: started.done };
  return { route: await gateway.startSession(call, {}), taken: started.taken };
}
