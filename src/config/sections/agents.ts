/** Agents besides the model: programs that speak ACP, own services, and who may use them where. */

import { z } from "zod";
import { httpUrl, listOf, orNull, sample, seconds, text } from "./scalars.js";
import { person } from "./tools.js";

const BACKENDS = ["model", "acp", "http"] as const;

export const backend = z.enum(BACKENDS);

export const acp = z.strictObject({
  command: sample(orNull(text).describe("The program; it speaks ACP on stdin and stdout"), "claude-code-acp"),
  args: sample(listOf(z.string()).describe("Its arguments"), "[--acp]"),
  env: sample(
    z
      .record(text, z.string())
      .default({})
      .describe(
        "Environment variables for it, besides PATH, HOME and the like; it gets no others from the gateway",
      ),
    `ANTHROPIC_API_KEY: \${ANTHROPIC_API_KEY}`,
  ),
  cwd: sample(
    orNull(text).describe("The folder that it works in; unset: workspace in the home"),
    "/home/me/project",
  ),
  permissions: z
    .enum(["deny", "ask", "allow-reads", "allow"])
    .default("ask")
    .describe("Its requests: deny, ask the person, ask except for reads, or allow everything"),
  timeout: seconds.default(600).describe("Seconds of silence until a turn is abandoned"),
  idle_timeout: seconds.default(900).describe("Seconds without a turn until its process ends"),
  max_processes: z
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe("Processes at the same time; each serves many sessions"),
});

export const agentService = z.strictObject({
  url: sample(
    orNull(httpUrl).describe("Its base address: requests go to <url>/chat/completions"),
    "http://127.0.0.1:9000/v1",
  ),
  api_key: sample(orNull(text).describe("Sent as a bearer token"), `\${AGENT_SERVICE_API_KEY}`),
  model: text.default("agent").describe("Sent as the model's name"),
  timeout: seconds.default(600).describe("Seconds of silence until a turn is abandoned"),
});

const name = text.regex(
  /^(?!default$)[a-z0-9][a-z0-9_-]{0,31}$/,
  "is not a valid name: up to 32 lower case letters, digits, _ and -",
);

const namedAgent = z.strictObject({
  backend: backend.describe("model: the configured model; acp: a program; http: an own service"),
  description: orNull(text).describe("For people, in /agent"),
  allow: z
    .array(person)
    .default(["owner", "paired"])
    .describe('Who may use it: owner, paired, everyone, "platform:user id"'),
  acp: acp.prefault({}).describe("For acp; the keys of `acp`"),
  agent_service: agentService.prefault({}).describe("For http; the keys of `agent_service`"),
});

export const agents = z.record(name, namedAgent).default({});

export const AGENTS_SAMPLE = `coder:
  backend: acp
  acp: {command: claude-code-acp, cwd: /home/me/project}
  allow: [owner]`;

const override = z.strictObject({
  agent: orNull(text).describe("An agent of `agents`, or default"),
  model: orNull(text).describe("A model of the configured provider"),
});

export const channelOverrides = z.record(text, override).default({});
