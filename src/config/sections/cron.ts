/** Schedules. */

import { z } from "zod";

export const cron = z.strictObject({
  enabled: z.boolean().default(true).describe("Whether schedules run"),
  wrap_response: z.boolean().default(true).describe("Put a schedule's name above its answer"),
  max_jobs: z.int().min(0).max(10_000).default(100).describe("Maximum number of schedules"),
  missed_grace: z
    .number()
    .min(0)
    .default(7200)
    .describe("Seconds: a run that was missed for longer is skipped; one-time runs are never skipped"),
});
