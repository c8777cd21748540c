/** Incoming webhooks: who may call, what the agent is asked, where its answer goes. */

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
    .describe("A body counts once, whatever id it comes with: GitHub signs the body alone"),
  id_header: orNull(text).describe(
    "Header that names a delivery, the same when it is sent again; unset: the sender's own, else the body decides",
  ),
  tolerance: seconds
    .default(300)
    .describe("Seconds: how old a signed time may be, and how soon the same body without an id is a repeat"),
  events: listOf(text).describe("Only these events (X-GitHub-Event, the body's `type`); empty = all"),
  prompt: orNull(text).describe("What the agent is asked; {{path.to.value}} takes from the JSON body"),
  deliver: text
    .default("local")
    .describe(
      "Where the answer goes: platform:chat[:thread], home, a callback URL, or local (it is only kept)",
    ),
  callback_secret: orNull(text).describe("Signs what is sent to a callback URL"),
  allow_private: z
    .boolean()
    .default(false)
    .describe("The callback URL may be on a private network; otherwise public https, or this machine"),
});

/** Where an answer goes is either an address or words for a chat. */
export function isAddress(deliver: string): boolean {
  return /^https?:\/\//i.test(deliver);
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export const webhooks = z
  .record(z.string().regex(NAME, "is no name for a webhook: small letters, digits, - and _"), webhook)
  .default({});

export type WebhookConfig = z.output<typeof webhook>;
