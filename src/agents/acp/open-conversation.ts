/** Opens the agent's conversation for a turn, and checks whether it already has an interrupted message. */
import type { TurnRequest } from "../backend.js";
import { type Kept, type Plan, planOf } from "../own-conversation.js";
import { textOf } from "../text.js";
import type { AgentProcess } from "./agent-process.js";
import { lost } from "./failures.js";

export interface Opening {
  name: string;
  cwd: string;
  request: TurnRequest;
  kept: Kept | undefined;
}

/** If a conversation can't be opened again, a new one begins with the history; but a message is never sent twice. */
export async function openConversation(
  agentProcess: AgentProcess,
  wanted: Plan,
  opening: Opening,
): Promise<{ id: string; plan: Plan }> {
  const { cwd, name, request } = opening;
  if (wanted.to === "continue" && !request.own!.hasArrived) {
    const words = await agentProcess.replay(wanted.id, cwd);
    if (words !== undefined) return { id: wanted.id, plan: afterReplay(words, wanted, opening) };
  }
  if (wanted.to !== "begin" && (await agentProcess.openSession(wanted.id, cwd)))
    return { id: wanted.id, plan: wanted };
  if (wanted.to === "continue") throw lost(name);
  return { id: await agentProcess.newSession(cwd), plan: { to: "begin" } };
}

/**
 * Handles a crash between recording the prompt and the agent's first update. Agents replay the whole
 * conversation, so if the message is missing, it never arrived. A replay that lacks messages the agent
 * certainly had is inconclusive.
 */
function afterReplay(
  words: readonly string[],
  wanted: Plan & { id: string },
  { request, kept }: Opening,
): Plan {
  const { history, input } = request;
  const unsent = kept?.id === wanted.id ? planOf(kept, undefined, history) : ({ to: "begin" } as const);
  const isForgetful = words.length === 0 && unsent.to === "go-on";
  const last = words.at(-1) ?? "";
  const isThere = input.some(({ content }) => last.includes(textOf(content).trim()));
  return isForgetful || isThere ? wanted : unsent;
}
