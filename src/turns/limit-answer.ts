import type { AgentEvent } from "../agents/backend.js";
import { outerAnswerLimit } from "../text-limits.js";

/** An agent that never stops talking is stopped: what it said until then, with a note, is its answer. */
export async function* limitAnswer(events: AsyncIterable<AgentEvent>): AsyncGenerator<AgentEvent> {
  let limit = outerAnswerLimit();
  let said = "";
  for await (const event of events) {
    if (event.type === "message") {
      limit = outerAnswerLimit();
      said = "";
    }
    if (event.type !== "text") {
      yield event;
      continue;
    }
    const delta = limit.take(event.delta);
    said += delta;
    yield { type: "text", delta };
    if (!limit.isOver) continue;
    // Leaving the loop ends the agent's call.
    yield { type: "message", message: { role: "assistant", content: said, finish_reason: "length" } };
    yield { type: "done" };
    return;
  }
}
