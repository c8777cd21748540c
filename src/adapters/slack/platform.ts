import { z } from "zod";
import { type BotOf, definePlatform, type LoadedPlatform, type PlatformDeps } from "../platform.js";
import { botSettings, botToken, httpUrl, orNull, text } from "../settings.js";

const NAME = "slack";

const settings = botSettings({
  credentials: ["token"],
  account: { token: text, app_token: orNull(text), signing_secret: orNull(text) },
  habits: { requireMention: true, replyInThread: true },
  keys: {
    token: botToken,
    app_token: orNull(text).describe(
      "App-level token (xapp-) for Socket Mode; better in .env (SLACK_APP_TOKEN)",
    ),
    signing_secret: orNull(text).describe(
      "Secret that proves HTTP events; better in .env (SLACK_SIGNING_SECRET)",
    ),
    dm_top_level_threads_as_sessions: z
      .boolean()
      .default(true)
      .describe("A direct message outside a thread begins its own conversation"),
    slash_command: text.default("/hermes").describe("The app's slash command: /hermes status means /status"),
    streaming: z
      .enum(["native", "edit"])
      .default("native")
      .describe("How an unfinished answer is shown: Slack's streams if there is a thread, or edits"),
    api_url: httpUrl.default("https://slack.com/api/").describe("Address of the Web API"),
  },
});

type Bot = BotOf<typeof settings>;

export const slack = definePlatform({
  name: NAME,
  label: "Slack",
  summary: "Slack; SLACK_BOT_TOKEN with SLACK_APP_TOKEN or SLACK_SIGNING_SECRET",
  settings,
  env: { SLACK_APP_TOKEN: "app_token", SLACK_SIGNING_SECRET: "signing_secret" },
  ids: {
    chat: /^[CDGUW][A-Z0-9]{5,}$/,
    example: "C0123456789",
    exampleName: "#ops",
    user: "U…: a person's profile → ⋮ → Copy member ID",
  },
  unsolicited: true,
  position: 3,
  capabilities: ["files", "streaming", "typing", "menu", "buttons", "lookup"],
  setup: {
    steps: [
      "Open https://api.slack.com/apps → Create New App → From a manifest",
      "Paste what `hermes setup --slack-manifest` prints (scopes, events, Socket Mode)",
      "Install App, and copy the Bot User OAuth Token (xoxb-…)",
      "Basic Information → App-Level Tokens → one with connections:write (xapp-…)",
    ],
    secrets: [
      {
        key: "token",
        name: "Bot User OAuth Token",
        variable: "SLACK_BOT_TOKEN",
        shape: /^xox[a-z]-\S+$/,
        example: "xoxb-…",
        help: "the bot's token on slack",
      },
      {
        key: "app_token",
        name: "App-level token",
        variable: "SLACK_APP_TOKEN",
        shape: /^xapp-\S+$/,
        example: "xapp-…",
        help: "the app-level token, for Socket Mode",
      },
      {
        key: "signing_secret",
        name: "Signing secret",
        variable: "SLACK_SIGNING_SECRET",
        shape: /^\S+$/,
        example: "8f742231b10e…",
        help: "for events over HTTP instead",
        byFlagOnly: true,
      },
    ],
    oneOf: {
      keys: ["app_token", "signing_secret"],
      message: "Slack needs an app-level token (Socket Mode) or a signing secret (HTTP).",
    },
    print: {
      flag: "slack-manifest",
      help: "print the manifest for a Slack app, and nothing else",
      load: async () => (await import("./manifest.js")).slackManifest(),
    },
  },
  docs: {
    page: "docs/platforms/slack.md",
    secrets: "`SLACK_BOT_TOKEN`, `SLACK_APP_TOKEN` (or `SLACK_SIGNING_SECRET` for HTTP)",
    receives: "Socket Mode, or events over HTTP",
  },
  promises: {
    inbound: { loses: "nothing", how: "are fetched from the history" },
    outbound: { repeats: "never", how: "is found by a marker in its metadata" },
  },
  apiAddress: ({ api_url }) => api_url,
  probe: async (bot, options) => {
    const { probeSlack } = await import("./probe.js");
    const { token, app_token: appToken, signing_secret: signingSecret, api_url: apiUrl } = bot;
    return probeSlack(
      { token: token!, appToken, signingSecret, apiUrl, eventsPath: eventsPath(bot) },
      options,
    );
  },
  load,
});

async function load(bot: Bot, deps: PlatformDeps): Promise<LoadedPlatform> {
  const { slackAdapter } = await import("./index.js");
  const adapter = slackAdapter({
    token: bot.token!,
    appToken: bot.app_token ?? undefined,
    signingSecret: bot.signing_secret ?? undefined,
    apiUrl: bot.api_url,
    account: bot.name,
    replyInThread: bot.reply_in_thread,
    dmTopLevelThreadsAsSessions: bot.dm_top_level_threads_as_sessions,
    slashCommand: bot.slash_command,
    streaming: bot.streaming,
    streamCursor: deps.config.streaming.cursor,
    catchUpMaxAgeSeconds: bot.catch_up_max_age,
    media: deps.media,
    log: deps.log,
  });
  if (bot.app_token !== null) return { adapter };
  const handle = (request: Request) => adapter.handleRequest(request);
  return { adapter, callbacks: [{ path: eventsPath(bot), handle }] };
}

/** Where Slack posts events in HTTP mode. */
function eventsPath({ name }: { name: string }): string {
  return name === NAME ? "/slack/events" : `/slack/${name}/events`;
}
