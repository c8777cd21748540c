/** Receivers of events: modules in the home, other programs. */

import { z } from "zod";
import { listOf, orNull, sample, seconds, text } from "./scalars.js";

const outgoing = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).describe("Gets a POST for every event"),
  events: listOf(text).describe("Which: session:start, agent:end, command:* …"),
  secret: orNull(text).describe("Signs every call (X-Hermes-Signature); better in .env, and named here"),
  timeout: seconds.default(10).describe("Seconds until a call fails"),
  retries: z.int().min(0).max(10).default(3).describe("Retries of a failed call"),
  allow_private: z
    .boolean()
    .default(false)
    .describe("The URL may be on a private network; otherwise public https, or this machine"),
});

const SAMPLE = `audit:
  url: https://example.org/hermes
  events: ["session:*", "agent:end", "command:*"]
  secret: \${HERMES_AUDIT_SECRET}`;

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export const hooks = z.strictObject({
  enabled: z.boolean().default(true).describe("Run the modules in hooks/ of the home"),
  timeout: seconds.default(10).describe("Seconds until a module that doesn't answer is stopped"),
  webhooks: sample(
    z
      .record(
        z.string().regex(NAME, "is not a valid hook name: use lower case letters, digits, - and _"),
        outgoing,
      )
      .default({})
      .describe("Other programs that receive events, by name"),
    SAMPLE,
  ),
});
