/** MCP servers, in Hermes Agent's form. */

import { z } from "zod";
import { httpUrl, listOf, orNull, seconds, text } from "./scalars.js";
import { person } from "./tools.js";

const filter = z.strictObject({
  include: z
    .array(text)
    .nullable()
    .default(null)
    .describe("Only these tools, by the server's own names; * matches any characters; [] = none"),
  exclude: listOf(text).describe("All but these; include wins"),
  resources: z.boolean().default(true).describe("Helpers that list and read its resources"),
  prompts: z.boolean().default(true).describe("Helpers that list and read its prompts"),
});

const oauth = z.strictObject({
  client_id: orNull(text).describe("Id of a client registered with the server; unset: registers itself"),
  client_secret: orNull(text).describe("Its secret, if it has one"),
  scope: orNull(text).describe("Scopes to request, separated by spaces; unset: those the server advertises"),
  redirect_port: orNull(z.int().min(1).max(65_535)).describe(
    "Local port for the redirect after a login; unset: any free port",
  ),
});

const server = z.strictObject({
  enabled: z.boolean().default(true).describe("Connect to it"),
  command: orNull(text).describe("Program of a server that talks over stdio"),
  args: listOf(z.string()).describe("Its arguments"),
  env: z
    .record(text, z.string())
    .prefault({})
    .describe("Variables for it; of the gateway's own it gets only PATH, HOME, USER, LANG and the like"),
  url: orNull(httpUrl).describe("Address of a server that talks streamable HTTP"),
  headers: z.record(text, z.string()).prefault({}).describe("Sent with every request, as in Authorization"),
  auth: z
    .enum(["oauth"])
    .nullable()
    .default(null)
    .describe("oauth: the HTTP server needs a login, by hermes mcp login"),
  oauth: oauth.prefault({}).describe("How to log in"),
  timeout: seconds.max(3600).default(300).describe("Seconds until a call fails"),
  connect_timeout: seconds.max(600).default(60).describe("Seconds until an attempt to connect fails"),
  tools: filter.prefault({}).describe("Which of its tools are offered"),
  trust: text
    .default("full")
    .transform((word) => (word === "full" ? ("full" as const) : ("untrusted" as const)))
    .describe("full; untrusted (or any other value): tools that aren't marked read-only ask first"),
  allow: z
    .array(person)
    .nullable()
    .default(null)
    .describe(
      "Widest access: owner, paired, everyone, platform:user id; unset: paired people for tools that only read, owners for the others",
    ),
});

export const mcpServers = z.record(text.max(64), server).default({});

export const MCP_SAMPLE = `files:
  command: npx
  args: ["-y", "@modelcontextprotocol/server-filesystem", "/srv/shared"]
  tools: {exclude: [write_file]}
tracker:
  url: https://tracker.example.org/mcp
  headers: {Authorization: "Bearer \${TRACKER_TOKEN}"}
  trust: untrusted
  allow: [owner]`;

export type McpServerConfig = z.output<typeof server>;
