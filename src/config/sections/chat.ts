/** Notices, live answers, and sends with an unknown outcome. */

import { z } from "zod";
import { exampleTargets } from "../../adapters/platforms.js";
import { orNull, sample, seconds } from "./scalars.js";

/** YAML's bare `off` may arrive as false. */
const toolProgress = z
  .union([z.enum(["off", "new", "all", "verbose", "false"]), z.literal(false)])
  .transform((mode) => (mode === "false" || mode === false ? "off" : mode));

export const display = z.strictObject({
  busy_input_mode: z
    .enum(["queue", "interrupt", "steer"])
    .default("queue")
    .describe("A message during a turn: queue it, interrupt the turn, or steer it"),
  busy_ack_enabled: z
    .boolean()
    .default(true)
    .describe("Confirm that a message is queued, was steered or interrupted the turn"),
  tool_progress: toolProgress
    .default("new")
    .describe(
      "Tool calls in the live answer: off; new: consecutive calls of a tool once; all; verbose: with arguments",
    ),
  long_running_seconds: z
    .number()
    .min(0)
    .default(60)
    .describe("Seconds of silence until the live answer shows that the turn is still running; 0 = never"),
  reactions: z.boolean().default(false).describe("React to messages: 👀 while working, then ✅ or ❌"),
  resume_display: z.enum(["full", "minimal"]).default("full").describe("Recap of a resumed session"),
  resume_exchanges: z.int().min(0).default(10).describe("Exchanges that a resumed session shows"),
  resume_max_user_chars: z
    .int()
    .positive()
    .default(300)
    .describe("Characters of each user message shown then"),
  resume_max_assistant_chars: z
    .int()
    .positive()
    .default(200)
    .describe("Characters of each answer shown then"),
  resume_max_assistant_lines: z.int().positive().default(3).describe("Lines of each answer shown then"),
  platforms: sample(
    z
      .record(
        z.string(),
        z.strictObject({
          streaming: orNull(z.boolean()).describe("Unset: as streaming.enabled"),
          tool_progress: orNull(toolProgress).describe("Unset: as display.tool_progress"),
          reactions: orNull(z.boolean()).describe("Unset: as display.reactions"),
        }),
      )
      .default({})
      .describe("The same by platform"),
    `${exampleTargets().platform}: {streaming: false}`,
  ),
});

export const streaming = z.strictObject({
  enabled: z.boolean().default(true).describe("Show an answer while it is written"),
  transport: z
    .enum(["auto", "draft", "edit", "off"])
    .default("auto")
    .describe("How: the platform's drafts, edits of one message, what it supports (auto), or not at all"),
  edit_interval: seconds.default(0.8).describe("Minimum seconds between edits of a message"),
  buffer_threshold: z.int().positive().default(24).describe("Characters that are worth an edit before that"),
  cursor: z.string().default(" ▉").describe("Shown at the end of an unfinished answer"),
});

export const delivery = z.strictObject({
  unknown: z
    .enum(["resend", "hold"])
    .default("resend")
    .describe("A send with an unknown outcome: resend it (a repeat is possible) or hold it for the operator"),
});
