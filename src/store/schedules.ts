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
   * Undefined if it doesn't exist or can't be read. A tick with a run is accepted as a message whose task names it: that
   * transaction advances the schedule.
   */
  changeSchedule(id: string, changes: Partial<ScheduleChanges>): Promise<ScheduleRow | undefined>;
  /** Also cancels its waiting and running runs. */
  removeSchedule(id: string): Promise<boolean>;
}

export type ScheduleState = "active" | "paused" | "done";

export interface NewSchedule {
  id: string;
  name: string;
  prompt: string;
  /** The rule, in the form that the policies read. */
  when: unknown;
  /** IANA name; null: the configured one. */
  timeZone: string | null;
  missed: "run" | "skip";
  /** The chat that gets the answer; null: resolved from `deliver` for each run. */
  target: Target | null;
  /** `home`, a platform's home, or `local` for nowhere. */
  deliver: string;
  /** The person it runs for; null: the operator. */
  maker: { platform: string; userId: string } | null;
  nextAt: number | null;
  createdAt: number;
}

export interface ScheduleQuery {
  /** Only the one with this id or name; of two with the same name, the one that isn't done. */
  called?: string;
  /** Only those that are due at this time, and those with a requested run. */
  dueAt?: number;
  /** With their last runs, at most so many. */
  runs?: number;
}

export interface ScheduleChanges extends Omit<NewSchedule, "id" | "maker" | "createdAt"> {
  state: ScheduleState;
  /** When a run was requested; null: none is. */
  runRequestedAt: number | null;
  /** Records a tick without a run, with the reason. */
  skipped: { tick: number; reason: string };
}

export interface ScheduleRow extends NewSchedule {
  /** Why rule, target and maker can't be read (they are null then); such a row can only be removed. */
  fault: string | null;
  state: ScheduleState;
  runRequestedAt: number | null;
  lastRun: RunRow | null;
  /** A run is waiting or running. Only due ones have it. */
  isBusy?: boolean;
  /** Newest first. Only if they are asked for. */
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
  /** The state of its answer; null: it had none, or it was pruned. */
  delivery: OutboxState | null;
}
