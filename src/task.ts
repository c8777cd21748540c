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

/** The answer with its task's heading. */
export function underHeading(task: Task | undefined, text: string): string {
  return task?.heading ? `${task.heading}\n\n${text}` : text;
}

/** A failure's text: instructions for a chat, a report for a task's target. Repeated ones are silent. */
export function failureText(task: Task | undefined, notice: string): string | undefined {
  if (!task) return notice;
  return task.failsQuietly ? undefined : `⚠️ ${task.name ?? "A run"} failed: ${notice}`;
}

const SILENT = new Set(["[silent]", "silent", "no_reply", "no reply"]);

/** Whether the agent chose to say nothing. In a task, the marker may be anywhere in the answer. */
export function isSilence(answer: string, task?: Task): boolean {
  const words = answer.trim().toLowerCase();
  return SILENT.has(words) || (task !== undefined && words.includes("[silent]"));
}
