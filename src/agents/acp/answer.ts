import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { MAX_ANSWER_CHARS } from "../../text-limits.js";
import type { AgentEvent } from "../backend.js";

const MAX_CALLS = 1000;
const MAX_TITLE_CHARS = 200;

/** The updates of one prompt → events: answer text and steps. Thoughts and plans aren't shown. */
export class Answer {
  text = "";
  /** Steps since the last text: what follows is a new paragraph. */
  #hasStepped = false;
  readonly #calls = new Map<string, { tool: string; title: string; isOver: boolean }>();

  get hasSteps(): boolean {
    return this.#calls.size > 0;
  }

  /** Longer than an answer may be; the rest is ignored. */
  get isFull(): boolean {
    return this.text.length > MAX_ANSWER_CHARS;
  }

  take(update: SessionUpdate): AgentEvent[] {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        return update.content.type === "text" ? this.#say(update.content.text) : [];
      case "tool_call":
      case "tool_call_update":
        return this.#step(update);
      default:
        return [];
    }
  }

  #say(delta: string): AgentEvent[] {
    if (delta === "" || this.isFull) return [];
    const gap = this.#hasStepped && this.text.trim() !== "" && !this.text.endsWith("\n") ? "\n\n" : "";
    this.#hasStepped = false;
    this.text += gap + delta;
    return [{ type: "text", delta: gap + delta }];
  }

  #step({ toolCallId: callId, kind, title, status }: Step): AgentEvent[] {
    this.#hasStepped = true;
    const known = this.#calls.get(callId);
    if (!known && this.#calls.size >= MAX_CALLS) return [];
    const call = known ?? {
      tool: kind ?? "other",
      title: (title ?? "").slice(0, MAX_TITLE_CHARS),
      isOver: false,
    };
    this.#calls.set(callId, call);
    const { tool, title: name } = call;
    const about = { type: "progress", tool, title: name, callId } as const;
    const isOver = status === "completed" || status === "failed";
    const events: AgentEvent[] = known ? [] : [{ ...about, state: "started" }];
    if (!isOver || call.isOver) return events;
    call.isOver = true;
    return [...events, { ...about, state: status === "failed" ? "failed" : "done" }];
  }
}

interface Step {
  toolCallId: string;
  kind?: string | null;
  title?: string | null;
  status?: string | null;
}
