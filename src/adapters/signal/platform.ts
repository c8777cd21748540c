import { z } from "zod";
import { type BotOf, definePlatform, type LoadedPlatform, type PlatformDeps } from "../platform.js";
import { botSettings, httpUrl, orNull, sample, text } from "../settings.js";

const NAME = "signal";

const settings = botSettings({
  credentials: ["account"],
  account: { account: text },
  keys: {
    account: sample(
      orNull(text).describe(
        "The bot's phone number with its country code; better in .env, as SIGNAL_ACCOUNT",
      ),
      '"+4915112345678"',
    ),
    api_url: httpUrl.default("http://127.0.0.1:8080").describe("Address of the signal-cli daemon"),
    send_read_receipts: z.boolean().default(true).describe("Mark messages that it answers as read"),
  },
});

type Bot = BotOf<typeof settings>;

export const signal = definePlatform({
  name: NAME,
  label: "Signal",
  summary: "Signal, through a signal-cli daemon; SIGNAL_ACCOUNT",
  settings,
  env: {
    SIGNAL_ACCOUNT: "account",
    SIGNAL_HTTP_URL: "api_url",
    SIGNAL_REQUIRE_MENTION: "require_mention",
    // Ids of groups, despite the name.
    SIGNAL_GROUP_ALLOWED_USERS: "group_allowed_chats",
  },
  ids: {
    chat: /^(?:\+\d{5,15}|group:\S+|[0-9a-f]{8}-[0-9a-f-]{27})$/i,
    example: "+4915112345678",
    user: "the phone number with its country code, or the uuid",
  },
  unsolicited: true,
  position: 6,
  capabilities: ["files", "typing"],
  setup: {
    steps: [
      "Install signal-cli (https://github.com/AsamK/signal-cli) and register or link a number for the bot",
      "Start it: signal-cli -a NUMBER daemon --http 127.0.0.1:8080 --receive-mode=on-connection",
    ],
    secrets: [
      {
        key: "account",
        name: "Phone number",
        variable: "SIGNAL_ACCOUNT",
        shape: /^\+\d{5,15}$/,
        example: "+4915112345678",
        help: "the bot's number on signal",
      },
    ],
  },
  docs: {
    page: "docs/platforms/signal.md",
    secrets: "`SIGNAL_ACCOUNT`, and a signal-cli daemon (`SIGNAL_HTTP_URL`)",
    receives: "signal-cli's event stream",
  },
  promises: {
    inbound: {
      loses: "some",
      how: "wait on Signal's servers if signal-cli was started with `--receive-mode=on-connection`; one that signal-cli hands over at the moment of a crash is gone",
    },
    outbound: { repeats: "marked", how: "is sent again, because Signal can't be asked for it" },
  },
  apiAddress: () => null,
  probe: async ({ account, api_url: apiUrl }, options) => {
    const { probeSignal } = await import("./probe.js");
    return probeSignal({ number: account!, apiUrl }, options);
  },
  load,
});

async function load(bot: Bot, deps: PlatformDeps): Promise<LoadedPlatform> {
  const { signalAdapter } = await import("./index.js");
  const adapter = signalAdapter({
    number: bot.account!,
    apiUrl: bot.api_url,
    account: bot.name,
    replyToMode: bot.reply_to_mode,
    sendReadReceipts: bot.send_read_receipts,
    media: deps.media,
    log: deps.log,
  });
  return { adapter };
}
