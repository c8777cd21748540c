/** The whole configuration: every key, its default, one line about it. Sections are under `sections/`. */

import { z } from "zod";
import { backup } from "./sections/backup.js";
import { delivery, display, streaming } from "./sections/chat.js";
import { cron } from "./sections/cron.js";
import { hooks } from "./sections/hooks.js";
import { gateway, media } from "./sections/media.js";
import { agent, auxiliary, model } from "./sections/model.js";
import { dmBehavior, platforms } from "./sections/platforms.js";
import { id, listOf, zone } from "./sections/scalars.js";
import { health, http, log } from "./sections/server.js";
import { compression, resetOverrides, resetPolicy, sessions } from "./sections/sessions.js";
import { webhooks } from "./sections/webhooks.js";

const owner = z.string().regex(/^[a-z][a-z0-9_]*:.+$/, 'is not "platform:user id"');

export const configSchema = z.strictObject({
  timezone: zone.describe("IANA name of the zone for daily resets and shown times; unset: the system's"),
  owners: listOf(owner).describe('People who may see every session, as "platform:user id"'),
  allow_from: listOf(id).describe("Users who may talk to the bot on any platform; * = everybody"),
  allow_all: z.boolean().default(false).describe("Everybody may talk to the bot on any platform"),
  unauthorized_dm_behavior: dmBehavior
    .default("pair")
    .describe("A stranger's direct message: pair answers with a code for the operator, ignore stays silent"),

  group_sessions_per_user: z
    .boolean()
    .default(true)
    .describe("In groups, everybody has a session of their own"),
  thread_sessions_per_user: z
    .boolean()
    .default(false)
    .describe("In threads too; otherwise a thread is one session"),
  // Hermes has no cap; we do, because each running turn holds a model request and its history in memory.
  max_concurrent_sessions: z
    .int()
    .min(0)
    .nullable()
    .default(50)
    .transform((cap) => (cap === 0 ? null : cap))
    .describe("Turns that run at the same time, the rest wait; null or 0 = no cap"),

  session_reset: resetPolicy.prefault({}).describe("When a session starts anew"),
  reset_by_type: resetOverrides.describe(
    "Whole policies by chat type (dm, group, channel, thread); they replace session_reset",
  ),
  reset_by_platform: resetOverrides.describe(
    "Whole policies by platform; they replace reset_by_type and session_reset",
  ),
  sessions: sessions.prefault({}).describe("For how long old sessions are kept"),
  compression: compression.prefault({}).describe("When and how a long session is summarised"),

  model: model.prefault({}).describe("Who answers"),
  auxiliary: auxiliary.prefault({}).describe("Models for side work; what is unset is the main model's"),
  agent: agent.prefault({}).describe("Limits of a turn"),

  display: display.prefault({}).describe("What people see besides the answers"),
  streaming: streaming.prefault({}).describe("Answers while they are written"),
  delivery: delivery.prefault({}).describe("Sends that went wrong"),
  media: media.prefault({}).describe("Pictures and other files"),
  gateway: gateway.prefault({}).describe("What Hermes Agent keeps under this name and the gateway reads too"),

  cron: cron.prefault({}).describe("Schedules"),

  http: http.prefault({}).describe("Health, metrics, dashboard and web chat"),
  webhooks: webhooks.describe("Calls from other programs, by name, at /webhooks/<name>"),
  backup: backup.prefault({}).describe("Backups that the gateway makes on its own"),
  hooks: hooks
    .prefault({})
    .describe("Who is told what happens, besides the modules under hooks/ of the home"),
  health: health.prefault({}).describe("When /readyz says no"),
  log: log.prefault({}).describe("The log"),

  platforms: platforms.prefault({}).describe("The chats; setting a token enables its platform"),
});

/** Complete: every key is there, absent values are null. `loadConfig` returns it deeply frozen. */
export type Config = z.output<typeof configSchema>;
export type ResetPolicyConfig = z.output<typeof resetPolicy>;
export type ModelConfig = Config["model"];
/** What every platform has, whichever it is. */
export type PlatformConfig = Config["platforms"]["web"];
/** What some platforms have besides. */
export type RoomsConfig = Partial<
  Pick<
    Config["platforms"]["telegram"] & Config["platforms"]["discord"],
    | "dm_policy"
    | "group_policy"
    | "group_allowed_chats"
    | "allow_bots"
    | "strict_mention"
    | "thread_require_mention"
    | "exclusive_bot_mentions"
    | "free_response_chats"
    | "allowed_chats"
    | "allowed_topics"
    | "ignored_threads"
    | "guest_mode"
    | "allowed_roles"
  >
>;
