import { withoutTrailing } from "../../trailing.js";
import { type BotOf, definePlatform, type LoadedPlatform, type PlatformDeps } from "../platform.js";
import { botSettings, httpUrl, listOf, orNull, sample, text } from "../settings.js";

const NAME = "mattermost";

const settings = botSettings({
  credentials: ["token", "api_url"],
  account: { token: text },
  habits: { requireMention: true, replyInThread: false },
  keys: {
    token: orNull(text).describe("The bot's token; better in .env, as MATTERMOST_TOKEN"),
    api_url: sample(
      orNull(httpUrl).describe("The server's address; better in .env, as MATTERMOST_URL"),
      '"https://chat.example.org"',
    ),
    callback_url: sample(
      orNull(httpUrl).describe(
        "Where the server reaches the gateway's HTTP port, for buttons and native commands (MATTERMOST_CALLBACK_URL)",
      ),
      '"http://gateway.example.org:8642"',
    ),
    callback_path: text.default("/webhooks/mattermost").describe("The path of its calls there"),
    command_tokens: listOf(text).describe("Tokens of slash commands that an administrator has made by hand"),
  },
});

type Bot = BotOf<typeof settings>;

export const mattermost = definePlatform({
  name: NAME,
  label: "Mattermost",
  summary: "Mattermost; MATTERMOST_TOKEN and MATTERMOST_URL",
  settings,
  env: { MATTERMOST_TOKEN: "token", MATTERMOST_URL: "api_url", MATTERMOST_CALLBACK_URL: "callback_url" },
  ids: {
    chat: /^[a-z0-9]{26}$/,
    example: "4yjt1bxsgjbd8ffxnoamx9j1wr",
    exampleName: "town-square",
    user: "26 letters and digits: System Console → Users → the person",
  },
  unsolicited: true,
  position: 4,
  capabilities: ["files", "streaming", "typing", "menu", "buttons", "lookup"],
  setup: {
    steps: [
      "System Console → Integrations → Bot Accounts: enable bot accounts",
      "Integrations → Bot Accounts → Add Bot Account, and copy its token",
      "Add the bot to a team, and to the channels where it should answer (/invite)",
    ],
    secrets: [
      {
        key: "token",
        name: "Bot token",
        variable: "MATTERMOST_TOKEN",
        shape: /^[a-z0-9]{26}$/,
        example: "w1eiqx4xk3dk9pcmbg7n5kmpoc",
        help: "the bot's token on mattermost",
      },
      {
        key: "api_url",
        name: "Server address",
        variable: "MATTERMOST_URL",
        shape: /^https?:\/\/\S+$/,
        example: "https://chat.example.org",
        help: "the address of the mattermost server",
      },
    ],
  },
  docs: {
    page: "docs/platforms/mattermost.md",
    secrets: "`MATTERMOST_TOKEN`, `MATTERMOST_URL`",
    receives: "a WebSocket",
  },
  promises: {
    inbound: { loses: "nothing", how: "are read from the channels" },
    outbound: { repeats: "never", how: "is found by a mark in its props" },
  },
  apiAddress: ({ api_url }) => api_url,
  probe: async (bot, options) => {
    const { probeMattermost } = await import("./probe.js");
    const { token, api_url: apiUrl, callback_url: url } = bot;
    const callback = url === null ? undefined : `${withoutTrailing(url, "/")}${pathOf(bot)}/actions`;
    return probeMattermost({ token: token!, apiUrl: apiUrl!, callback }, options);
  },
  load,
});

async function load(bot: Bot, deps: PlatformDeps): Promise<LoadedPlatform> {
  const { mattermostAdapter } = await import("./index.js");
  const adapter = mattermostAdapter({
    token: bot.token!,
    apiUrl: bot.api_url ?? "",
    account: bot.name,
    replyInThread: bot.reply_in_thread,
    catchUpMaxAgeSeconds: bot.catch_up_max_age,
    commands: deps.commands.map(({ name }) => name),
    ...(bot.callback_url === null ? {} : { callbackUrl: bot.callback_url }),
    callbackPath: pathOf(bot),
    commandTokens: bot.command_tokens,
    media: deps.media,
    log: deps.log,
  });
  return { adapter, callbacks: adapter.callbacks };
}

/** Every account has its own, which tells their calls apart. */
function pathOf({ callback_path: path, name }: Bot): string {
  return name === NAME ? path : `${path}/${encodeURIComponent(name)}`;
}
