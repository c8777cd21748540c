/** Incoming webhooks: who may call, the prompt, where the answer goes. */

import { z } from "zod";
import { listOf, orNull, seconds, text } from "./scalars.js";

const webhook = z.strictObject({
  secret: text.describe("Proves the caller; better in .env, and named here"),
  signature: z
    .enum(["github", "stripe", "hmac", "token"])
    .default("github")
    .describe(
      "How: X-Hub-Signature-256, Stripe-Signature, an HMAC-SHA256 of the body in `header`, or the secret itself",
    ),
  header: orNull(text).describe("Header of hmac (X-Signature-256) or token (Authorization: Bearer)"),
  unique_body: z
    .boolean()
    .default(false)
    .describe("A body counts once, with any id: GitHub signs only the body"),
  id_header: orNull(text).describe(
    "Header with the delivery's id, the same for a redelivery; unset: the sender's usual one, else a hash of the body",
  ),
  tolerance: seconds
    .default(300)
    .describe(
      "Seconds: how old a signed time may be, and for how long the same body without an id is a repeat",
    ),
  events: listOf(text).describe("Only these events (X-GitHub-Event, the body's `type`); empty = all"),
  prompt: orNull(text).describe("Prompt for the agent; {{path.to.value}} is taken from the JSON body"),
  deliver: text
    .default("local")
    .describe("Where the answer goes: platform:chat[:thread], home, a callback URL, or local (only stored)"),
  callback_secret: orNull(text).describe("Signs what is sent to a callback URL"),
  allow_private: z
    .boolean()
    .default(false)
    .describe("The callback URL may be on a private network; otherwise public https, or this machine"),
});

/** Whether an answer goes to a URL instead of a chat. */
export function isAddress(deliver: string): boolean {
  return /^https?:\/\//i.test(deliver);
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export const webhooks = z
  .record(
    z.string().regex(NAME, "is not a valid webhook name: use lower case letters, digits, - and _"),
    webhook,
  )
  .default({});

/** For the example configuration. */
export const webhookSample = (target: string) => `deploys:
  secret: \${GITHUB_WEBHOOK_SECRET}
  signature: github  # or stripe, hmac (with header), token (with header; else Authorization: Bearer)
  events: [workflow_run]
  prompt: "{{repository.full_name}}: {{workflow_run.name}} ended with {{workflow_run.conclusion}}. Is it worth a look?"
  deliver: "${target}"  # or a callback URL (with callback_secret), home, local`;

export type WebhookConfig = z.output<typeof webhook>;
