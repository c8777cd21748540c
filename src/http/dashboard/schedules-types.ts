/** Responses of the schedules API. */
import type { RunRow, ScheduleState } from "../../store/schedules.js";

export type { RunRow };

export interface ShownSchedule {
  id: string;
  name: string;
  prompt: string;
  /** As it can be typed: a cron expression, `every 30m`, or a time. */
  when: string;
  state: ScheduleState;
  nextAt: number | null;
  /** Null: the configured time zone. */
  timeZone: string | null;
  missed: "run" | "skip";
  /** Where the answers go. */
  to: string;
  maker: string | null;
  /** Why it can't run; null if it can. */
  fault: string | null;
  isRequested: boolean;
  lastRun: RunRow | null;
}

export interface SchedulesAnswer {
  enabled: boolean;
  timeZone: string;
  schedules: ShownSchedule[];
}

export interface ScheduleDetail {
  schedule: ShownSchedule;
  runs: RunRow[];
}
