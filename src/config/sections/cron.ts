/** Schedules: what is asked at which times. */

import { z } from "zod";

export const cron = z.strictObject({
  enabled: z.boolean().default(true).describe("Whether schedules run"),
  wrap_response: z.boolean().default(true).describe("A schedule's name stands above its answer"),
  max_jobs: z.int().min(0).max(10_000).default(100).describe("Schedules that there may be at a time"),
  missed_grace: z
    .number()
    .min(0)
    .default(7200)
    .describe("Seconds: a run that was missed for longer is not made up for; what comes only once always is"),
});
