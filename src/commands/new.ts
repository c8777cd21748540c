import type { RouteRow } from "../store/queues.js";
import type { Command, CommandCall, CommandOutcome, CommandQuestion } from "./command.js";
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

/** The button of the question runs the command with this flag. */
const YES = "--yes";

async function run(call: CommandCall): Promise<CommandOutcome> {
  const args = rawArgs(call);
  const isConfirmed = args === YES || args.startsWith(`${YES} `);
  const wanted = cleanTitle(isConfirmed ? args.slice(YES.length) : args);
  if ("fault" in wanted) return { reply: wanted.fault };
  const asks = call.gateway.config.approvals.destructive_slash_confirm && !isConfirmed;
  if (asks && call.session && call.session.message_count > 0) return { question: confirmation(wanted.title) };
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

function confirmation(title: string | null): CommandQuestion {
  return {
    text: "Start a new session? The current one is kept and can be resumed.",
    choices: [
      { label: "New session", command: `/new ${YES} ${title ?? ""}`.trim(), style: "primary" },
      { label: "Cancel" },
    ],
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
