/** Turns of agents that keep their own conversation and run their own tools. */
import type { AgentEvent, OwnConversation } from "../agents/backend.js";
import { nowSeconds } from "../clock.js";
import type { Events } from "../events.js";
import { AGENTS } from "../store/queues.js";
import type { Store } from "../store/store.js";
import type { AgentResult } from "./run.js";
import type { Turn } from "./turn.js";

/** What the agent itself keeps about the session, and whether it has the message already. */
export function ownConversation(
  store: Pick<Store, "getValue" | "setValue">,
  { agentName, session, journal }: Turn,
): OwnConversation {
  const name = { platform: AGENTS, account: agentName, name: session.id };
  return {
    read: () => store.getValue(name),
    write: (value) => store.setValue(name, value),
    sent: journal.sent?.conversation,
    sending: (conversation) => journal.sending(agentName, conversation),
    hasArrived: journal.hasArrived,
    arrived: () => journal.arrived(),
  };
}

/** A step that the agent made by itself, for watchers. */
export function emitStep(
  events: Events,
  { about, agent, agentName }: Turn,
  { tool: kind, title, callId, state }: Extract<AgentEvent, { type: "progress" }>,
): void {
  const tool = `${agentName || agent.name}.${kind}`;
  const args = { title };
  if (state === "started") events.emit({ type: "tool-started", ...about, tool, callId, args });
  else {
    const ok = state === "done";
    events.emit({ type: "tool-ended", ...about, tool, callId, args, ok, startedAt: nowSeconds() });
  }
}

/** The agent that has the message doesn't exist any more, and no other one gets it. */
export function abandoned(agent: string): AgentResult {
  const message = `the agent ${agent || "default"} had this message before the restart and isn't configured any more`;
  const notice =
    "I was interrupted while another agent worked on this, and it isn't available any more. Check what is done, then ask again.";
  const failure = { kind: "other", message, notice } as const;
  return { text: "", messages: [], usages: [], failure, askedAt: nowSeconds() };
}
