import type { ErasurePlan } from "../store/people.js";
import type { PersonFiles } from "./files.js";
import type { ErasureCounts } from "./types.js";

export function countsOf(plan: ErasurePlan, files: PersonFiles): ErasureCounts {
  const { own, shared, changes, inbox, outbox, routes, schedules, pairing } = plan;
  const whole = changes.filter((change) => change.whole).length;
  return {
    sessions: own.length,
    messages: own.reduce((sum, { messages }) => sum + messages, 0),
    sharedSessions: shared.length,
    redactedMessages: whole,
    changedMessages: changes.length - whole,
    queueRowsRemoved: inbox.remove.length + outbox.remove.length,
    queueRowsRedacted:
      inbox.redact.length + inbox.quotes.length + outbox.redact.length + outbox.changes.length,
    routes: routes.remove.length + routes.redact.length,
    schedules: schedules.length,
    pairings: pairing.approved + pairing.pending,
    memories: files.memories.length,
    files: files.media.length + files.history.length,
  };
}
