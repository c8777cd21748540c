import type { Target } from "../message.js";
import type { SessionId } from "../session.js";
import type { OutboxState } from "./queues.js";

/** What is to be asked at which times, and what became of it: `gw_schedules` and `gw_schedule_runs`. */
export interface Schedules {
  /** Refuses a name that is taken, and more than `max` that are not done. */
  addSchedule(schedule: NewSchedule, max: number): Promise<ScheduleRow>;
  /** By name, those that are done last. */
  listSchedules(): Promise<ScheduleRow[]>;
  /** By id or by name; of two with one name the one that isn't done. */
  findSchedule(reference: string): Promise<ScheduleRow | undefined>;
  /** Undefined where there is none, or where it can't be read. */
  changeSchedule(id: string, changes: Partial<ScheduleChanges>): Promise<ScheduleRow | undefined>;
  /** Calls off the runs that wait or are being answered, too. */
  removeSchedule(id: string): Promise<boolean>;
  /** Those whose time has come, and those that somebody wants to run now. */
  dueSchedules(now: number): Promise<DueSchedule[]>;
  /**
   * A tick that gets no run, with the reason. Its schedule moves on. One that gets a run is accepted as a message whose
   * errand names it, and moves its schedule in that transaction.
   */
  skipRun(skipped: SkippedRun): Promise<void>;
  /** The newest first. */
  scheduleRuns(id: string, limit: number): Promise<RunRow[]>;
}

export type ScheduleState = "active" | "paused" | "done";

export interface NewSchedule {
  id: string;
  name: string;
  prompt: string;
  /** Its rule, as the policies read it. */
  when: unknown;
  /** IANA name; null: the configured one. */
  timeZone: string | null;
  missed: "run" | "skip";
  /** The chat that the answer goes to; null: as the words say, found anew for each run. */
  target: Target | null;
  /** `home`, a platform's home, or `local` for nowhere; of no account where a chat is named. */
  deliver: string;
  /** On whose behalf it runs; null: the operator's. */
  maker: { platform: string; userId: string } | null;
  nextAt: number | null;
  createdAt: number;
}

export interface ScheduleChanges extends Omit<NewSchedule, "id" | "maker" | "createdAt"> {
  state: ScheduleState;
  /** Somebody wants a run now; null: nobody. */
  runRequestedAt: number | null;
}

export interface ScheduleRow extends NewSchedule {
  /** Why rule, target and maker, which are null then, can't be read; such a row can only be removed. */
  fault: string | null;
  state: ScheduleState;
  runRequestedAt: number | null;
  lastRun: RunRow | null;
}

export interface DueSchedule extends ScheduleRow {
  /** A run of it waits or runs. */
  isBusy: boolean;
}

export interface SkippedRun {
  scheduleId: string;
  tick: number;
  nextAt: number | null;
  reason: string;
}

export type RunState = "waiting" | "running" | "done" | "failed" | "cancelled" | "skipped";

export interface RunRow {
  /** The moment it was due. */
  tick: number;
  /** When it came into the inbox, or was skipped. */
  at: number;
  manual: boolean;
  state: RunState;
  /** Why it failed or was skipped. */
  reason: string | null;
  sessionId: SessionId | null;
  /** The inbox row, for `hermes trace`. */
  inboxId: number | null;
  /** How its answer is doing; null: it had none, or it is forgotten. */
  delivery: OutboxState | null;
}
