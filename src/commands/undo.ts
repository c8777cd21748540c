import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { currentSession, noSession } from "./parts/current-session.js";
import { blocks, bullets, code, counted, shortened } from "./parts/text.js";
import { turnsOf, undoTurns } from "./parts/turns.js";

const MAX_SHOWN = 5;

export const undo: Command = {
  name: "undo",
  usage: "[N]",
  description: "Undo the last turn, or the last N",
  group: "conversation",
  when: "idle",
  rewrites: true,
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const session = currentSession(call);
  if (!session) return { reply: await noSession(call) };
  const wanted = Number(call.args.trim() || "1");
  if (!Number.isSafeInteger(wanted) || wanted < 1) return { reply: "How many turns? For example `/undo 2`." };
  const { store } = call.gateway;
  const turns = (await turnsOf(store, session.id)).slice(-wanted);
  if (turns.length === 0) return { reply: "There is nothing to undo." };
  return { reply: report(turns.length, await undoTurns(store, session.id, turns)) };
}

function report(undone: number, texts: readonly string[]): string {
  const shown = texts.slice(-MAX_SHOWN).map((text) => code(shortened(text) || "(no text)"));
  return blocks(`↩️ Undid ${counted(undone, "turn")}:`, bullets(...shown), "Continue from before that.");
}
