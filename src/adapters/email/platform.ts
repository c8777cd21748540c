import { z } from "zod";
import { type BotOf, definePlatform, type LoadedPlatform, type PlatformDeps } from "../platform.js";
import { botSettings, orNull, sample, text } from "../settings.js";

const port = z.int().min(1).max(65_535);
const security = z.enum(["tls", "starttls", "plain"]);

const settings = botSettings({
  credentials: ["address", "password", "imap_host", "smtp_host"],
  account: {
    address: text,
    password: text,
    user: orNull(text),
    imap_host: text.optional(),
    smtp_host: text.optional(),
  },
  keys: {
    address: sample(
      orNull(text).describe("The address that people write to (EMAIL_ADDRESS)"),
      "hermes@example.org",
    ),
    password: orNull(text).describe("Its password; better in .env (EMAIL_PASSWORD)"),
    user: sample(orNull(text).describe("The name to log in with; unset: the address"), "hermes"),
    display_name: sample(orNull(text).describe("The name that people see"), "Hermes"),
    imap_host: sample(orNull(text).describe("IMAP server (EMAIL_IMAP_HOST)"), "imap.example.org"),
    imap_port: port.default(993).describe("Its port"),
    imap_security: security.default("tls").describe("tls, starttls, or plain (on this machine only)"),
    imap_tls_verify: z.boolean().default(true).describe("Check its certificate"),
    smtp_host: sample(orNull(text).describe("SMTP server (EMAIL_SMTP_HOST)"), "smtp.example.org"),
    smtp_port: port.default(587).describe("Its port"),
    smtp_security: security.default("starttls").describe("tls (port 465), starttls (port 587), or plain"),
    smtp_tls_verify: z.boolean().default(true).describe("Check its certificate"),
    mailbox: text.default("INBOX").describe("The mailbox to read"),
    authserv_id: sample(
      orNull(text).describe("Whose Authentication-Results count: the name at the beginning of the header"),
      "mx.example.org",
    ),
    trust_from_header: z
      .boolean()
      .default(false)
      .describe("Trust every sender's address, whatever SPF, DKIM and DMARC say"),
    server_keeps_sent: z
      .boolean()
      .default(false)
      .describe(
        "The server puts each sent mail into Sent by itself (Gmail does): no copy there means not sent",
      ),
    poll_seconds: z.number().min(5).max(3600).default(60).describe("How often to poll in addition to IDLE"),
  },
});

type Bot = BotOf<typeof settings>;

export const email = definePlatform({
  name: "email",
  label: "Email",
  summary: "Email; EMAIL_ADDRESS, EMAIL_PASSWORD, EMAIL_IMAP_HOST and EMAIL_SMTP_HOST",
  settings,
  env: {
    EMAIL_ADDRESS: "address",
    EMAIL_PASSWORD: "password",
    EMAIL_IMAP_HOST: "imap_host",
    EMAIL_IMAP_PORT: "imap_port",
    EMAIL_IMAP_SECURITY: "imap_security",
    EMAIL_SMTP_HOST: "smtp_host",
    EMAIL_SMTP_PORT: "smtp_port",
    EMAIL_SMTP_SECURITY: "smtp_security",
    EMAIL_AUTHSERV_ID: "authserv_id",
    EMAIL_TRUST_FROM_HEADER: "trust_from_header",
    EMAIL_POLL_INTERVAL: "poll_seconds",
    EMAIL_HOME_ADDRESS: "home_channel",
  },
  ids: {
    chat: /^[^\s@]{1,128}@[^\s@]{1,255}$/,
    example: "ann@example.org",
    user: "their address in lower case",
  },
  unsolicited: true,
  capabilities: ["files", "lookup"],
  setup: {
    steps: [
      "Create a separate mailbox for the bot and enable IMAP there",
      "Create an app password if the provider has them (Gmail: https://myaccount.google.com/apppasswords)",
      "Find the names of its IMAP and SMTP servers in the provider's help",
    ],
    secrets: [
      {
        key: "address",
        name: "Address",
        variable: "EMAIL_ADDRESS",
        shape: /^[^\s@]+@[^\s@]+$/,
        example: "hermes@example.org",
        help: "the address that people write to",
      },
      {
        key: "password",
        name: "Password",
        variable: "EMAIL_PASSWORD",
        shape: /^.+$/,
        example: "abcd efgh ijkl mnop",
        help: "the mailbox's password, or an app password",
      },
      {
        key: "imap_host",
        name: "IMAP server",
        variable: "EMAIL_IMAP_HOST",
        shape: /^[\w.-]+$/,
        example: "imap.example.org",
        help: "where mail is read",
      },
      {
        key: "smtp_host",
        name: "SMTP server",
        variable: "EMAIL_SMTP_HOST",
        shape: /^[\w.-]+$/,
        example: "smtp.example.org",
        help: "where mail is sent",
      },
    ],
  },
  docs: {
    page: "docs/platforms/email.md",
    secrets: "`EMAIL_ADDRESS`, `EMAIL_PASSWORD`, `EMAIL_IMAP_HOST`, `EMAIL_SMTP_HOST`",
    receives: "IMAP (IDLE)",
  },
  promises: {
    inbound: { loses: "nothing", how: "stay in the mailbox and are fetched" },
    outbound: {
      repeats: "marked",
      how: "is looked up in Sent by its Message-ID; if that is inconclusive, it is sent again with the same id, marked",
    },
  },
  probe: async (bot, options) => {
    const { probeEmail } = await import("./probe.js");
    return probeEmail(optionsOf(bot), options);
  },
  load,
});

async function load(bot: Bot, { media, log }: PlatformDeps): Promise<LoadedPlatform> {
  const { emailAdapter } = await import("./index.js");
  return { adapter: emailAdapter({ ...optionsOf(bot), media, log }) };
}

function optionsOf(bot: Bot) {
  return {
    address: bot.address!,
    password: bot.password!,
    user: bot.user ?? undefined,
    name: bot.display_name ?? undefined,
    imap: {
      host: bot.imap_host!,
      port: bot.imap_port,
      security: bot.imap_security,
      verify: bot.imap_tls_verify,
    },
    smtp: {
      host: bot.smtp_host!,
      port: bot.smtp_port,
      security: bot.smtp_security,
      verify: bot.smtp_tls_verify,
    },
    mailbox: bot.mailbox,
    authservId: bot.authserv_id ?? undefined,
    trustFrom: bot.trust_from_header,
    serverKeepsSent: bot.server_keeps_sent,
    pollSeconds: bot.poll_seconds,
  };
}
