/** What stays in the session of a question whose turn failed. */
import type { FailureKind } from "../agents/backend.js";
import type { NewMessage } from "../session.js";

/** The model would fail on these words in every later turn too, so a note takes their place. */
const NOT_REPEATED: Partial<Record<FailureKind, string>> = {
  context_length: "was too long for the model",
  content_filter: "was blocked by the model's content filter",
};

export function unansweredMessages(messages: readonly NewMessage[], kind: FailureKind): NewMessage[] {
  const why = NOT_REPEATED[kind];
  if (why === undefined) return [...messages];
  return messages.map((message) => ({
    ...message,
    content: `[A message of ${message.content?.length ?? 0} characters ${why} and is left out]`,
  }));
}
