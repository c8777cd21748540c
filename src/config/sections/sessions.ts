/** When sessions are reset, how long they are kept, when they are summarised. */

import { z } from "zod";
import { withoutResetNotices } from "../../adapters/platforms.js";
import { listOf, share, text } from "./scalars.js";

/** A whole policy: missing keys take the built-in defaults, also in `reset_by_*` (as in Hermes, nothing is merged). */
export const resetPolicy = z.strictObject({
  mode: z
    .enum(["daily", "idle", "both", "none"])
    .default("both")
    .describe("When a session is reset: daily, idle, both (what comes first) or none"),
  at_hour: z.int().min(0).max(23).default(4).describe("Hour of the daily reset, 0-23, in `timezone`"),
  idle_minutes: z.int().positive().default(1440).describe("Minutes without a message until the idle reset"),
  notify: z.boolean().default(true).describe("Tell the chat that its session was reset"),
  notify_exclude_platforms: listOf(text)
    .prefault(withoutResetNotices())
    .describe("Platforms that never get that notice"),
});

export const resetOverrides = z.record(z.string(), resetPolicy).default({});

export const sessions = z.strictObject({
  auto_prune: z.boolean().default(false).describe("Delete old ended sessions automatically"),
  retention_days: z.int().positive().default(90).describe("Ended sessions older than this are pruned"),
  vacuum_after_prune: z.boolean().default(true).describe("Release the freed disk space after pruning"),
  min_interval_hours: z.number().min(0).default(24).describe("Minimum hours between two automatic prunings"),
});

export const compression = z.strictObject({
  enabled: z.boolean().default(true).describe("Summarise long sessions automatically"),
  threshold: share.default(0.5).describe("Share of the context window that starts a summary"),
  target_ratio: z
    .number()
    .min(0.1)
    .max(0.8)
    .default(0.2)
    .describe("Share of the threshold that the newest messages may keep verbatim"),
  protect_first_n: z.int().min(0).default(3).describe("Messages at the start that are never summarised"),
  protect_last_n: z.int().min(0).default(20).describe("Messages at the end that are never summarised"),
  hygiene_hard_message_limit: z
    .int()
    .positive()
    .default(400)
    .describe("Summarise at this many messages, however short they are"),
  abort_on_summary_failure: z
    .boolean()
    .default(false)
    .describe("When the summary fails: true keeps the session as it is, false cuts with a plain note"),
});
