import { z } from "zod";
import { type BotOf, definePlatform, type LoadedPlatform, type PlatformDeps } from "../platform.js";
import { botSettings, httpUrl, orNull, sample, text } from "../settings.js";

const NAME = "sms";

const settings = botSettings({
  credentials: ["account_sid", "auth_token", "phone_number"],
  account: { account_sid: text, auth_token: text, phone_number: text },
  keys: {
    account_sid: sample(orNull(text).describe("Twilio's Account SID (TWILIO_ACCOUNT_SID)"), "AC0123…"),
    auth_token: orNull(text).describe("Twilio's Auth Token; better in .env (TWILIO_AUTH_TOKEN)"),
    phone_number: sample(
      orNull(text).describe("Our number, with the country code (TWILIO_PHONE_NUMBER)"),
      '"+15551234567"',
    ),
    messaging_service_sid: sample(
      orNull(text).describe("Sends in place of the number (TWILIO_MESSAGING_SERVICE_SID)"),
      "MG0123…",
    ),
    webhook_url: sample(
      orNull(httpUrl).describe(
        "Our webhook exactly as it is set at Twilio; unset: messages are only fetched",
      ),
      '"https://bot.example.org/webhooks/twilio"',
    ),
    webhook_path: text.default("/webhooks/twilio").describe("Where on the HTTP port Twilio calls"),
    poll_seconds: sample(
      orNull(z.number().min(1).max(3600)).describe(
        "How often to look for messages whose call got lost; unset: 120, and 15 without a webhook",
      ),
      "120",
    ),
    max_segments: z
      .int()
      .min(1)
      .max(10)
      .default(10)
      .describe("Segments of one message; each is billed (160 or 153 characters, with emoji 70 or 67)"),
    max_messages: z.int().min(1).max(100).default(10).describe("Messages of one answer; the rest is cut off"),
    api_url: httpUrl.default("https://api.twilio.com").describe("Address of Twilio's API"),
  },
});

type Bot = BotOf<typeof settings>;

export const sms = definePlatform({
  name: NAME,
  label: "SMS",
  summary: "SMS over Twilio; TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_PHONE_NUMBER",
  settings,
  env: {
    TWILIO_ACCOUNT_SID: "account_sid",
    TWILIO_AUTH_TOKEN: "auth_token",
    TWILIO_PHONE_NUMBER: "phone_number",
    TWILIO_MESSAGING_SERVICE_SID: "messaging_service_sid",
    SMS_WEBHOOK_URL: "webhook_url",
  },
  ids: {
    chat: /^\+?\d{3,15}$/,
    example: "+15551234567",
    user: "the person's phone number with the country code: +15551234567",
  },
  unsolicited: true,
  capabilities: ["lookup"],
  setup: {
    steps: [
      "Open https://console.twilio.com and buy a number that can send SMS",
      "Copy the Account SID and the Auth Token from the console's first page",
      "For a webhook: set platforms.sms.webhook_url, and the same address at the number (A message comes in)",
    ],
    secrets: [
      {
        key: "account_sid",
        name: "Account SID",
        variable: "TWILIO_ACCOUNT_SID",
        shape: /^AC[0-9a-zA-Z]+$/,
        example: "AC0123…",
        help: "the account's id at Twilio",
      },
      {
        key: "auth_token",
        name: "Auth Token",
        variable: "TWILIO_AUTH_TOKEN",
        shape: /^\S+$/,
        example: "8f742231b10e…",
        help: "the account's secret at Twilio",
      },
      {
        key: "phone_number",
        name: "Phone number",
        variable: "TWILIO_PHONE_NUMBER",
        shape: /^\+?\d{3,15}$/,
        example: "+15551234567",
        help: "the number that people write to",
      },
    ],
  },
  docs: {
    page: "docs/platforms/sms.md",
    secrets: "`TWILIO_ACCOUNT_SID`, `TWILIO_AUTH_TOKEN`, `TWILIO_PHONE_NUMBER`",
    receives: "Twilio's webhook, or polling",
  },
  promises: {
    inbound: { loses: "nothing", how: "are fetched from Twilio's list" },
    outbound: { repeats: "never", how: "is found by a status callback, or by its text in the list" },
  },
  apiAddress: ({ api_url }) => api_url,
  probe: async (bot, options) => {
    const { probeSms } = await import("./probe.js");
    return probeSms(optionsOf(bot), options);
  },
  load,
});

async function load(bot: Bot, { media, log }: PlatformDeps): Promise<LoadedPlatform> {
  const { smsAdapter } = await import("./index.js");
  const adapter = smsAdapter({ ...optionsOf(bot), media, log });
  return { adapter, callbacks: adapter.callbacks };
}

/** Every account has its own path, which tells their messages apart. */
function optionsOf(bot: Bot) {
  const { webhook_path: path, name } = bot;
  return {
    accountSid: bot.account_sid!,
    authToken: bot.auth_token!,
    phoneNumber: bot.phone_number!,
    messagingServiceSid: bot.messaging_service_sid ?? undefined,
    ...addressOf(bot),
    webhookPath: name === NAME ? path : `${path}/${encodeURIComponent(name)}`,
    apiUrl: bot.api_url,
    ...(bot.poll_seconds === null ? {} : { pollSeconds: bot.poll_seconds }),
    maxSegments: bot.max_segments,
    maxMessages: bot.max_messages,
  };
}

function addressOf({ webhook_url: url, name }: Bot) {
  if (url === null) return {};
  return { webhookUrl: name === NAME ? url : `${url}/${encodeURIComponent(name)}` };
}
