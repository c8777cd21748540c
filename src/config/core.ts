/** Every top-level key but `platforms`, with its default and one line about it. Sections are under `sections/`. */

import { z } from "zod";
import { exampleTargets } from "../adapters/platforms.js";
import { dmBehavior } from "../adapters/settings.js";
import { AGENTS_SAMPLE, acp, agentService, agents, channelOverrides } from "./sections/agents.js";
import { approvals } from "./sections/approvals.js";
import { backup } from "./sections/backup.js";
import { delivery, display, streaming } from "./sections/chat.js";
import { cron } from "./sections/cron.js";
import { hooks } from "./sections/hooks.js";
import { MCP_SAMPLE, mcpServers } from "./sections/mcp.js";
import { gateway, media } from "./sections/media.js";
import { agent, auxiliary, model } from "./sections/model.js";
import { plugins } from "./sections/plugins.js";
import { id, listOf, sample, zone } from "./sections/scalars.js";
import { health, http, log } from "./sections/server.js";
import { compression, resetOverrides, resetPolicy, sessions } from "./sections/sessions.js";
import { platformToolsets, TOOLS_SAMPLE, tools, toolsets, web } from "./sections/tools.js";
import { webChat } from "./sections/web-chat.js";
import { webhookSample, webhooks } from "./sections/webhooks.js";

const EXAMPLE = exampleTargets();

const owner = z.string().regex(/^[a-z][a-z0-9_]*:.+$/, 'is not "platform:user id"');

export const coreSchema = z.strictObject({
  timezone: sample(
    zone.describe("IANA name of the zone for daily resets and shown times; unset: the system's"),
    "Europe/Berlin",
  ),
  owners: listOf(owner).describe('People who may see every session, as "platform:user id"'),
  allow_from: listOf(id).describe("Users who may talk to the bot on any platform; * = everyone"),
  allow_all: z.boolean().default(false).describe("Everyone may talk to the bot on any platform"),
  unauthorized_dm_behavior: dmBehavior
    .default("pair")
    .describe("A stranger's direct message: pair answers with a code for the operator, ignore stays silent"),

  group_sessions_per_user: z.boolean().default(true).describe("In groups, everyone has their own session"),
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
    .describe("Concurrent turns; the rest wait. null or 0 = unlimited"),

  session_reset: resetPolicy.prefault({}).describe("When a session is reset"),
  reset_by_type: sample(
    resetOverrides.describe(
      "Whole policies by chat type (dm, group, channel, thread); they replace session_reset",
    ),
    "group: {mode: idle, idle_minutes: 120}",
  ),
  reset_by_platform: resetOverrides.describe(
    "Whole policies by platform; they replace reset_by_type and session_reset",
  ),
  sessions: sessions.prefault({}).describe("How long old sessions are kept"),
  compression: compression.prefault({}).describe("When and how a long session is summarised"),

  model: model.prefault({}).describe("The model that answers"),
  auxiliary: auxiliary.prefault({}).describe("Models for side work; unset keys are the main model's"),
  agent: agent.prefault({}).describe("Limits of a turn"),
  acp: acp.prefault({}).describe("The program that answers if agent.backend is acp; docs/agents.md"),
  agent_service: agentService.prefault({}).describe("The service that answers if agent.backend is http"),
  agents: sample(agents.describe("More agents, by name, that chats choose with /agent"), AGENTS_SAMPLE),
  channel_overrides: sample(
    channelOverrides.describe('The agent and the model of a chat, by its id or "platform:id"'),
    `"${EXAMPLE.platform}:${EXAMPLE.chatId}": {agent: coder}`,
  ),
  approvals: approvals.prefault({}).describe("Approvals of tool calls"),

  tools: sample(
    tools.describe("Who may use which tool, by its name, a toolset's name or *; docs/tools.md"),
    TOOLS_SAMPLE,
  ),
  toolsets: sample(
    toolsets.describe("Own groups of tools, by name"),
    "research: {tools: [web_search, web_extract], includes: [memory]}",
  ),
  platform_toolsets: sample(
    platformToolsets.describe("The toolsets of a platform; unset: all"),
    `${EXAMPLE.platform}: [web, memory, session_search]`,
  ),
  web: web.prefault({}).describe("Web search"),
  mcp_servers: sample(
    mcpServers.describe("MCP servers whose tools the agent gets, by name; docs/mcp.md"),
    MCP_SAMPLE,
  ),

  display: display.prefault({}).describe("What chats show besides the answers"),
  streaming: streaming.prefault({}).describe("Live answers"),
  delivery: delivery.prefault({}).describe("Failed sends"),
  media: media.prefault({}).describe("Images and other files"),
  gateway: gateway.prefault({}).describe("Hermes Agent keys that the gateway reads too"),

  cron: cron.prefault({}).describe("Schedules"),

  http: http.prefault({}).describe("Health, metrics, dashboard and web chat"),
  web_chat: webChat.prefault({}).describe("The web chat; docs/web-chat.md"),
  webhooks: sample(
    webhooks.describe("Calls from other programs, by name, at /webhooks/<name>"),
    webhookSample(`${EXAMPLE.platform}:${EXAMPLE.chatId}:5`),
  ),
  backup: backup.prefault({}).describe("Automatic backups"),
  hooks: hooks.prefault({}).describe("Receivers of events, besides the modules under hooks/ of the home"),
  plugins: plugins.prefault({}).describe("Platforms that are installed under plugins/ of the home"),
  health: health.prefault({}).describe("When /readyz reports a problem"),
  log: log.prefault({}).describe("The log"),
});

export type CoreConfig = z.output<typeof coreSchema>;
export type ResetPolicyConfig = z.output<typeof resetPolicy>;
