/** The daemon itself: its HTTP port and its log. */

import { z } from "zod";
import { listOf, orNull, seconds, text } from "./scalars.js";

export const http = z.strictObject({
  host: text.default("127.0.0.1").describe("Address to listen on; anything but loopback requires a token"),
  port: z.int().min(0).max(65535).default(8787).describe("Port to listen on; 0 = any free one"),
  token: orNull(text).describe(
    "Bearer token for the API and the dashboard; better in .env (HERMES_HTTP_TOKEN)",
  ),
  allowed_hosts: listOf(text).describe("Additional host names, for example behind a proxy or in a container"),
  request_timeout: seconds.default(30).describe("Seconds until a request must have arrived, head and body"),
  rate_limit: z
    .int()
    .min(0)
    .default(1200)
    .describe("Requests per minute and address; 0 = unlimited. Programs on this machine are not counted"),
  takeover_minutes: z
    .int()
    .min(1)
    .max(10_080)
    .default(30)
    .describe("A taken-over chat returns to the agent this long after the operator's last message"),
});

export const health = z.strictObject({
  max_wait: seconds
    .default(120)
    .describe("/readyz fails when a message has waited this many seconds although its chat is free"),
  platforms: listOf(text).describe(
    "/readyz fails when one of these platforms is down; empty: when all of them are",
  ),
});

export const log = z.strictObject({
  level: z.enum(["debug", "info", "warn", "error", "silent"]).default("info").describe("Minimum log level"),
});
