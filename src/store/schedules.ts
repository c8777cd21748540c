import type { Target } from "../message.js";
import type { SessionId } from "../session.js";
import type { OutboxState } from "./queues.js";

/** Prompts that run at certain times, and their runs. */
export interface Schedules {
  /** Rejects a name that is in use, and more than `max` schedules that aren't done. */
  addSchedule(schedule: NewSchedule, max: number): Promise<ScheduleRow>;
  /** Ordered by name, finished ones last; the due ones by their due time. */
  listSchedules(query?: ScheduleQuery): Promise<ScheduleRow[]>;
  /**
   * Undefined if it doesn't exist or can't be read. A tick with a run is accepted as a message whose task
   * names the schedule; that transaction advances the schedule. `remove` also cancels its waiting and running
   * runs, removes one that can't be read too, and returns what was removed.
   */
  changeSchedule(id: string, changes: Partial<ScheduleChanges> | "remove"): Promise<ScheduleRow | undefined>;
}

export type ScheduleState = "active" | "paused" | "done";

export interface NewSchedule {
  id: string;
  name: string;
  prompt: string;
  /** The rule, as parsed by the policies. */
  when: unknown;
  /** IANA name; null for the configured zone. */
  timeZone: string | null;
  missed: "run" | "skip";
  /** The chat that gets the answer; null to resolve `deliver` for each run. */
  target: Target | null;
  /** `home`, a platform's home, or `local` for nowhere. */
  deliver: string;
  /** The person it runs for; null for the operator. */
  maker: { platform: string; userId: string } | null;
  nextAt: number | null;
  createdAt: number;
}

export interface ScheduleQuery {
  /** Only the schedule with this id or name; of two with the same name, the unfinished one. */
  called?: string;
  /** Only those due at this time or with a requested run. */
  dueAt?: number;
  /** Include up to this many of the last runs. */
  runs?: number;
}

export interface ScheduleChanges extends Omit<NewSchedule, "id" | "maker" | "createdAt"> {
  state: ScheduleState;
  /** When a run was requested, if one was. */
  runRequestedAt: number | null;
  /** Records a tick without a run, with the reason. */
  skipped: { tick: number; reason: string };
}

export interface ScheduleRow extends NewSchedule {
  /** Why the row can't be parsed (rule, target and creator are null then). It can only be removed. */
  fault: string | null;
  state: ScheduleState;
  runRequestedAt: number | null;
  lastRun: RunRow | null;
  /** Whether a run is waiting or running. Only set on due schedules. */
  isBusy?: boolean;
  /** Newest first. Only if requested. */
  runs?: RunRow[];
}

export type RunState = "waiting" | "running" | "done" | "failed" | "cancelled" | "skipped";

export interface RunRow {
  /** The moment it was due. */
  tick: number;
  /** When it was accepted or skipped. */
  at: number;
  manual: boolean;
  state: RunState;
  /** Why it failed or was skipped. */
  reason: string | null;
  sessionId: SessionId | null;
  /** The inbox row, for `hermes trace`. */
  inboxId: number | null;
  /** The state of its answer; null if there was none or it was pruned. */
  delivery: OutboxState | null;
}
