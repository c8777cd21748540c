import { type BotOf, definePlatform, type LoadedPlatform, type PlatformDeps } from "../platform.js";
import { botSettings, httpUrl, orNull, sample, text } from "../settings.js";
import { waIdOf } from "./ids.js";

const NAME = "whatsapp_cloud";

const declared = botSettings({
  credentials: ["phone_number_id", "access_token", "app_secret"],
  account: { phone_number_id: text, access_token: text, app_secret: text },
  keys: {
    phone_number_id: sample(
      orNull(text).describe("The number's id at Meta (WHATSAPP_CLOUD_PHONE_NUMBER_ID)"),
      '"106540352242922"',
    ),
    access_token: orNull(text).describe(
      "A system user's token; better in .env (WHATSAPP_CLOUD_ACCESS_TOKEN)",
    ),
    app_secret: orNull(text).describe("Proves Meta's calls; better in .env (WHATSAPP_CLOUD_APP_SECRET)"),
    verify_token: orNull(text).describe(
      "Proves our address to Meta; better in .env (WHATSAPP_CLOUD_VERIFY_TOKEN)",
    ),
    webhook_path: text.default("/whatsapp/webhook").describe("Where on the HTTP port Meta calls"),
    waba_id: sample(
      orNull(text).describe("The WhatsApp Business account, for hermes doctor (WHATSAPP_CLOUD_WABA_ID)"),
      '"102290129340398"',
    ),
    api_version: text.default("v20.0").describe("Version of the Graph API"),
    api_url: httpUrl.default("https://graph.facebook.com").describe("Address of the Graph API"),
  },
});

/** People know numbers with a plus and with spaces; the ids have digits only. */
const settings = {
  ...declared,
  schema: declared.schema.transform((own) => ({
    ...own,
    allow_from: own.allow_from.map(waIdOf),
    allow_admin_from: own.allow_admin_from.map(waIdOf),
    home_channel: own.home_channel === null ? null : waIdOf(own.home_channel),
  })),
};

type Bot = BotOf<typeof settings>;

export const whatsappCloud = definePlatform({
  name: NAME,
  label: "WhatsApp (Cloud API)",
  summary: "WhatsApp's Cloud API; WHATSAPP_CLOUD_PHONE_NUMBER_ID, …_ACCESS_TOKEN and …_APP_SECRET",
  settings,
  env: {
    WHATSAPP_CLOUD_PHONE_NUMBER_ID: "phone_number_id",
    WHATSAPP_CLOUD_ACCESS_TOKEN: "access_token",
    WHATSAPP_CLOUD_APP_SECRET: "app_secret",
    WHATSAPP_CLOUD_VERIFY_TOKEN: "verify_token",
    WHATSAPP_CLOUD_WEBHOOK_PATH: "webhook_path",
    WHATSAPP_CLOUD_API_VERSION: "api_version",
    WHATSAPP_CLOUD_WABA_ID: "waba_id",
  },
  ids: { chat: /^\d{5,20}$/, example: "15551234567", user: "the number with the country code, digits only" },
  unsolicited: true,
  capabilities: ["files", "typing", "buttons"],
  setup: {
    steps: [
      "Open https://developers.facebook.com/apps → Create App → Business, and add WhatsApp",
      "WhatsApp → API Setup: copy the Phone number ID; App settings → Basic: copy the App secret",
      "Create a permanent token of a system user (business.facebook.com → System users)",
      "WhatsApp → Configuration: set the webhook's address and verify token, and subscribe to messages",
    ],
    secrets: [
      {
        key: "phone_number_id",
        name: "Phone number ID",
        variable: "WHATSAPP_CLOUD_PHONE_NUMBER_ID",
        shape: /^\d+$/,
        example: "106540352242922",
        help: "the number's id at Meta",
      },
      {
        key: "access_token",
        name: "Access token",
        variable: "WHATSAPP_CLOUD_ACCESS_TOKEN",
        shape: /^\S+$/,
        example: "EAAG…",
        help: "a permanent token of a system user",
      },
      {
        key: "app_secret",
        name: "App secret",
        variable: "WHATSAPP_CLOUD_APP_SECRET",
        shape: /^\S+$/,
        example: "8f742231b10e…",
        help: "proves that calls are Meta's",
      },
      {
        key: "verify_token",
        name: "Verify token",
        variable: "WHATSAPP_CLOUD_VERIFY_TOKEN",
        shape: /^\S+$/,
        example: "a long random text",
        help: "proves the webhook's address to Meta",
        byFlagOnly: true,
      },
    ],
  },
  docs: {
    page: "docs/platforms/whatsapp-cloud.md",
    secrets: "`WHATSAPP_CLOUD_PHONE_NUMBER_ID`, `WHATSAPP_CLOUD_ACCESS_TOKEN`, `WHATSAPP_CLOUD_APP_SECRET`",
    receives: "Meta's webhook",
  },
  promises: {
    inbound: { loses: "nothing", how: "are kept by Meta, which calls again for up to seven days" },
    outbound: {
      repeats: "marked",
      how: "is recognised by its status; without one, sent again, marked as a possible repeat",
    },
  },
  apiAddress: ({ api_url }) => api_url,
  probe: async (bot, options) => {
    const { probeWhatsApp } = await import("./probe.js");
    return probeWhatsApp(optionsOf(bot), options);
  },
  load,
});

async function load(bot: Bot, { media, log, outcome }: PlatformDeps): Promise<LoadedPlatform> {
  const { whatsAppAdapter } = await import("./index.js");
  const options = optionsOf(bot);
  const receivedText = async (id: string) => (await outcome(NAME, options.phoneNumberId, id))?.message.text;
  const adapter = whatsAppAdapter({ ...options, receivedText, media, log });
  return { adapter, callbacks: adapter.callbacks };
}

function optionsOf(bot: Bot) {
  const { webhook_path: path, name } = bot;
  return {
    phoneNumberId: bot.phone_number_id!,
    accessToken: bot.access_token!,
    appSecret: bot.app_secret!,
    verifyToken: bot.verify_token ?? undefined,
    webhookPath: name === NAME ? path : `${path}/${encodeURIComponent(name)}`,
    apiUrl: bot.api_url,
    apiVersion: bot.api_version,
    businessId: bot.waba_id ?? undefined,
    replyToMode: bot.reply_to_mode,
  };
}
