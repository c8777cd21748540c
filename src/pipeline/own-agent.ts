/** Turns of agents that keep their own conversation and run their own tools. */
import type { AgentEvent, OwnConversation } from "../agents/backend.js";
import { nowSeconds } from "../clock.js";
import type { Events } from "../events.js";
import { AGENTS } from "../store/queues.js";
import type { Store } from "../store/store.js";
import type { AgentResult } from "./run.js";
import type { Turn } from "./turn.js";

/** The agent's own conversation for this session, and whether it already has the message. */
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

/** Reports a step of the agent to watchers. */
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

/** The agent that received the message is no longer configured; the message isn't sent to another one. */
export function abandoned(agent: string): AgentResult {
  const message = `the agent ${agent || "default"} received this message before the restart and is no longer configured`;
  const notice =
    "Another agent was working on this when I was interrupted, and it is no longer available. Check what it has done, then ask again.";
  const failure = { kind: "other", message, notice } as const;
  return { text: "", messages: [], usages: [], failure, askedAt: nowSeconds() };
}
