import { z } from "zod";
import { type BotOf, definePlatform, type LoadedPlatform, type PlatformDeps } from "../platform.js";
import { botSettings, httpUrl, orNull, sample, text } from "../settings.js";

const NAME = "bluebubbles";

const settings = botSettings({
  credentials: ["api_url", "password"],
  account: { api_url: httpUrl, password: text },
  keys: {
    api_url: sample(
      orNull(httpUrl).describe("The BlueBubbles server on the Mac (BLUEBUBBLES_SERVER_URL)"),
      '"http://192.168.1.20:1234"',
    ),
    password: orNull(text).describe("The server's password; better in .env (BLUEBUBBLES_PASSWORD)"),
    webhook_url: sample(
      orNull(httpUrl).describe("Our webhook as the Mac reaches it; unset: messages are only fetched"),
      '"http://192.168.1.10:8787/bluebubbles-webhook"',
    ),
    webhook_path: text.default("/bluebubbles-webhook").describe("Where on the HTTP port the server calls"),
    poll_seconds: sample(
      orNull(z.number().min(1).max(3600)).describe(
        "How often to look for new messages; unset: 30, and 3 without a webhook",
      ),
      "30",
    ),
    send_read_receipts: z.boolean().default(true).describe("Mark chats as read; needs the Private API"),
  },
});

type Bot = BotOf<typeof settings>;

export const bluebubbles = definePlatform({
  name: NAME,
  label: "iMessage",
  summary: "iMessage over BlueBubbles; BLUEBUBBLES_SERVER_URL and BLUEBUBBLES_PASSWORD",
  settings,
  env: {
    BLUEBUBBLES_SERVER_URL: "api_url",
    BLUEBUBBLES_PASSWORD: "password",
    BLUEBUBBLES_WEBHOOK_URL: "webhook_url",
    BLUEBUBBLES_WEBHOOK_PATH: "webhook_path",
    BLUEBUBBLES_REQUIRE_MENTION: "require_mention",
  },
  ids: {
    chat: /^(?:\+?\d{3,20}|[^\s@]{1,100}@[^\s@]{1,100}|\w{1,20};[+-];\S{1,200})$/,
    example: "+15551234567",
    user: "the phone number with + and the country code, or the mail address that they write from",
  },
  unsolicited: true,
  capabilities: ["files", "typing", "lookup"],
  setup: {
    steps: [
      "Install the BlueBubbles server on a Mac that is signed in to iMessage (https://bluebubbles.app)",
      "Settings → Connection: set a password, and copy the server's address",
      "Optional: install the Private API, for typing indicators, read receipts and replies",
    ],
    secrets: [
      {
        key: "api_url",
        name: "Server address",
        variable: "BLUEBUBBLES_SERVER_URL",
        shape: /^https?:\/\/\S+$/,
        example: "http://192.168.1.20:1234",
        help: "the address of the BlueBubbles server",
      },
      {
        key: "password",
        name: "Password",
        variable: "BLUEBUBBLES_PASSWORD",
        shape: /^\S+$/,
        example: "a long random text",
        help: "the password of the BlueBubbles server",
      },
    ],
  },
  docs: {
    page: "docs/platforms/bluebubbles.md",
    secrets: "`BLUEBUBBLES_SERVER_URL`, `BLUEBUBBLES_PASSWORD`",
    receives: "the server's webhook, or polling",
  },
  promises: {
    inbound: { loses: "nothing", how: "are read from the Mac's database" },
    outbound: { repeats: "never", how: "is found by its text in the Mac's database" },
  },
  apiAddress: ({ api_url }) => api_url,
  probe: async (bot, options) => {
    const { probeBlueBubbles } = await import("./probe.js");
    return probeBlueBubbles(optionsOf(bot), options);
  },
  load,
});

async function load(bot: Bot, { media, log }: PlatformDeps): Promise<LoadedPlatform> {
  const { blueBubblesAdapter } = await import("./index.js");
  const adapter = blueBubblesAdapter({ ...optionsOf(bot), media, log });
  return { adapter, callbacks: adapter.callbacks };
}

function optionsOf(bot: Bot) {
  const { webhook_path: path, webhook_url: url, name } = bot;
  const end = name === NAME ? "" : `/${encodeURIComponent(name)}`;
  return {
    apiUrl: bot.api_url ?? "",
    password: bot.password!,
    account: name,
    webhookUrl: url === null ? undefined : url + end,
    webhookPath: path + end,
    pollSeconds: bot.poll_seconds ?? undefined,
    replyToMode: bot.reply_to_mode,
    readReceipts: bot.send_read_receipts,
    catchUpMaxAgeSeconds: bot.catch_up_max_age,
  };
}
