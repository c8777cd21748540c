import { z } from "zod";
import { type BotOf, definePlatform, type LoadedPlatform, type PlatformDeps } from "../platform.js";
import { botSettings, httpUrl, orNull, sample, text } from "../settings.js";

const NAME = "matrix";

const settings = botSettings({
  credentials: ["token", "api_url"],
  account: { token: text },
  habits: { requireMention: true, replyInThread: true },
  keys: {
    token: orNull(text).describe("The bot's access token; better in .env, as MATRIX_ACCESS_TOKEN"),
    api_url: sample(
      orNull(httpUrl).describe("The homeserver's address; better in .env, as MATRIX_HOMESERVER"),
      '"https://matrix.example.org"',
    ),
    send_read_receipts: z.boolean().default(true).describe("Mark messages that it answers as read"),
  },
});

type Bot = BotOf<typeof settings>;

export const matrix = definePlatform({
  name: NAME,
  label: "Matrix",
  summary: "Matrix, in rooms without encryption; MATRIX_ACCESS_TOKEN and MATRIX_HOMESERVER",
  settings,
  env: {
    MATRIX_ACCESS_TOKEN: "token",
    MATRIX_HOMESERVER: "api_url",
    MATRIX_HOME_ROOM: "home_channel",
    MATRIX_ALLOWED_ROOMS: "allowed_channels",
    MATRIX_FREE_RESPONSE_ROOMS: "free_response_channels",
    MATRIX_REQUIRE_MENTION: "require_mention",
    MATRIX_AUTO_THREAD: "reply_in_thread",
  },
  ids: {
    chat: /^!\S+$/,
    example: "!kZpWwFYJdLQJtsdVgS:example.org",
    user: "@name:server, as in their profile",
  },
  unsolicited: true,
  position: 5,
  capabilities: ["files", "streaming", "typing", "lookup"],
  setup: {
    steps: [
      "Create an account for the bot on your homeserver, and log in to it (Element: app.element.io)",
      "Element: Settings → Help & About → Advanced → Access Token; don't log out afterwards",
      "Make a room without encryption and invite the bot: it accepts invitations of people who may talk to it",
    ],
    secrets: [
      {
        key: "token",
        name: "Access token",
        variable: "MATRIX_ACCESS_TOKEN",
        shape: /^\S+$/,
        example: "syt_…",
        help: "the bot's access token on matrix",
      },
      {
        key: "api_url",
        name: "Homeserver",
        variable: "MATRIX_HOMESERVER",
        shape: /^https?:\/\/\S+$/,
        example: "https://matrix.example.org",
        help: "the address of the matrix homeserver",
      },
    ],
  },
  docs: {
    page: "docs/platforms/matrix.md",
    secrets: "`MATRIX_ACCESS_TOKEN`, `MATRIX_HOMESERVER`",
    receives: "sync; no encrypted rooms",
  },
  promises: {
    inbound: { loses: "nothing", how: "come with the next sync, which goes on from a stored token" },
    outbound: { repeats: "never", how: "is recognised by the homeserver, or found by a mark in it" },
  },
  apiAddress: ({ api_url }) => api_url,
  probe: async ({ token, api_url: apiUrl }, options) => {
    const { probeMatrix } = await import("./probe.js");
    return probeMatrix({ token: token!, apiUrl: apiUrl! }, options);
  },
  load,
});

async function load(bot: Bot, deps: PlatformDeps): Promise<LoadedPlatform> {
  const { matrixAdapter } = await import("./index.js");
  const adapter = matrixAdapter({
    token: bot.token!,
    apiUrl: bot.api_url ?? "",
    account: bot.name,
    replyInThread: bot.reply_in_thread,
    replyToMode: bot.reply_to_mode,
    sendReadReceipts: bot.send_read_receipts,
    commands: deps.commands.map(({ name }) => name),
    isWanted: (message) => deps.media.mayFetch(message),
    media: deps.media,
    log: deps.log,
  });
  return { adapter };
}
