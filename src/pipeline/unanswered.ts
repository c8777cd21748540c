/** What stays in the session after a failed turn. */
import type { FailureKind } from "../agents/backend.js";
import type { NewMessage } from "../session.js";

/** A message this long may be why the conversation didn't fit. */
const LONG_CHARS = 20_000;

/** Text that the model would reject in every later turn is replaced by a note. */
export function unansweredMessages(messages: readonly NewMessage[], kind: FailureKind): NewMessage[] {
  return messages.map((message) => {
    const chars = typeof message.content === "string" ? message.content.length : 0;
    const why = reasonToOmit(kind, chars);
    return why === undefined
      ? message
      : { ...message, content: `[A message of ${chars} characters ${why} and is left out]` };
  });
}

function reasonToOmit(kind: FailureKind, chars: number): string | undefined {
  if (kind === "content_filter") return "was blocked by the model's content filter";
  return kind === "context_length" && chars > LONG_CHARS ? "was too long for the model" : undefined;
}
