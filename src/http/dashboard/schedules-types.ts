/** The schedules, as the page reads them. */
import type { RunRow, ScheduleState } from "../../store/schedules.js";

export type { RunRow };

export interface ShownSchedule {
  id: string;
  name: string;
  prompt: string;
  /** As it was said: a cron expression, `every 30m`, or a moment. */
  when: string;
  state: ScheduleState;
  nextAt: number | null;
  /** Its own; null: the configured one. */
  timeZone: string | null;
  missed: "run" | "skip";
  /** Where the answers go. */
  to: string;
  maker: string | null;
  /** Why it can't run. */
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
