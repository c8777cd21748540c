import type { AgentEvent } from "../agents/backend.js";
import { endOfAnswer, MAX_ANSWER_CHARS } from "../text-limits.js";

/** Limits the length of an answer: cuts the agent's text at the limit and adds a note. */
export async function* limitAnswer(events: AsyncIterable<AgentEvent>): AsyncGenerator<AgentEvent> {
  let text = "";
  for await (const event of events) {
    if (event.type === "message") text = "";
    const left = MAX_ANSWER_CHARS - text.length;
    if (event.type !== "text" || event.delta.length <= left) {
      if (event.type === "text") text += event.delta;
      yield event;
      continue;
    }
    const delta = endOfAnswer(event.delta, left);
    yield { type: "text", delta };
    const message = { role: "assistant", content: text + delta, finish_reason: "length" };
    // Leaving the loop ends the agent's call.
    yield { type: "message", message };
    yield { type: "done" };
    return;
  }
}
