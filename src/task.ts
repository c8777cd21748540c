/**
 * A message from a schedule or a webhook. It is never a command, its answer has no preview, and replies go
 * where the task says.
 */
import type { Principal, Target } from "./message.js";
import type { EndReason, SessionId } from "./session.js";

export interface Task {
  /** Where the answer goes. Default: back to the origin. */
  target?: Target;
  /** Its name in failure notices. */
  name?: string;
  /** Precedes the answer. */
  heading?: string;
  /** The principal, whose rights and memory apply. Default: the message's origin. */
  principal?: Principal;
  /** The session ends after this turn, with this reason. */
  end?: EndReason;
  /** The previous failure was reported already. */
  failsQuietly?: true;
  /** A memory flush for this session, which has ended. */
  memoryOf?: SessionId;
  /** The run of a schedule. The transaction that accepts the task stores it and advances the schedule. */
  run?: ScheduledRun;
}

export interface ScheduledRun {
  scheduleId: string;
  /** When it was due. Epoch seconds. */
  tick: number;
  /** When it is due next; null: never. */
  nextAt: number | null;
  /** Manual run: doesn't move the next due time. */
  manual?: true;
}

/** A failure's text: instructions for a chat, a report for a task's target. Repeated ones are silent. */
export function failureText(task: Task | undefined, notice: string): string | undefined {
  if (!task) return notice;
  return task.failsQuietly ? undefined : `⚠️ ${task.name ?? "A run"} failed: ${notice}`;
}
