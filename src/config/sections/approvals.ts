/** Approvals of tool calls. */

import { z } from "zod";
import { listOf, sample, text } from "./scalars.js";

const DAY_SECONDS = 86_400;

export const approvals = z.strictObject({
  mode: z
    .enum(["manual", "smart", "off"])
    .default("manual")
    .describe("manual: ask as tools.<name>.ask says; off: never ask; smart: the same as manual for now"),
  timeout: z
    .number()
    .min(5)
    .max(DAY_SECONDS)
    .default(300)
    .describe("Seconds until an unanswered question counts as denied"),
  ask_in: z
    .enum(["chat", "home"])
    .default("chat")
    .describe("Where approvals are asked: in the chat, or owners in the home channel of its platform"),
  cron_mode: z
    .enum(["deny", "approve"])
    .default("deny")
    .describe("Runs of schedules: deny or approve calls that need approval"),
  unattended_mode: z
    .enum(["deny", "approve"])
    .default("deny")
    .describe("The same for other unattended turns (webhooks, background tasks)"),
  deny: sample(
    listOf(text).describe("Calls that are always denied: tool names, * matches any characters"),
    '["mcp__shell__*"]',
  ),
  destructive_slash_confirm: z.boolean().default(false).describe("Confirm /new before it ends a session"),
});
