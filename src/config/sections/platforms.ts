/** The platforms: the keys that all of them take, and what each adds. */

import { z } from "zod";
import { httpUrl, id, listOf, orNull, pattern, seconds, text } from "./scalars.js";

export const dmBehavior = z.enum(["pair", "ignore"]);

interface Habits {
  requireMention: boolean;
  replyInThread: boolean;
}

function common({ requireMention, replyInThread }: Habits) {
  return {
    enabled: z.boolean().optional().describe("Unset: on as soon as there is a token; false keeps it off"),
    allow_from: listOf(id).describe("Users who may talk to the bot; * = everybody"),
    allow_all: z.boolean().default(false).describe("Everybody may talk to the bot"),
    group_allow_from: listOf(id).describe("Users who may talk to it in groups, besides those above"),
    allow_admin_from: listOf(id).describe(
      "Admins in direct messages; empty = everybody may use every command",
    ),
    user_allowed_commands: listOf(text).describe("Commands that others may use in direct messages"),
    group_allow_admin_from: listOf(id).describe("Admins in groups; empty = everybody may use every command"),
    group_user_allowed_commands: listOf(text).describe("Commands that others may use in groups"),
    unauthorized_dm_behavior: orNull(dmBehavior).describe(
      "A stranger's direct message: pair or ignore; unset: as the top-level key",
    ),
    require_mention: z
      .boolean()
      .default(requireMention)
      .describe("In groups, answer only when mentioned or replied to"),
    free_response_channels: listOf(id).describe("Channels where no mention is needed"),
    allowed_channels: listOf(id).describe("Answer in these channels only; empty = in all"),
    ignored_channels: listOf(id).describe("Never answer in these channels"),
    mention_patterns: listOf(pattern).describe(
      "Regular expressions (RE2) that count as a mention, in any case",
    ),
    reply_to_mode: z
      .enum(["first", "all", "off"])
      .default("first")
      .describe("Which parts of an answer quote the question: first, all or off"),
    reply_in_thread: z
      .boolean()
      .default(replyInThread)
      .describe("Answer a channel message in a thread of its own"),
    catch_up_max_age: z
      .number()
      .min(0)
      .default(86_400)
      .describe(
        "Seconds: messages missed for longer than this are not answered any more; 0 = never catch up",
      ),
    home_channel: orNull(id).describe("Chat for notices that belong to no conversation"),
    extra: z
      .record(z.string(), z.unknown())
      .default({})
      .describe("Free room for an adapter's own keys; nothing here is checked"),
  };
}

const policy = ["open", "allowlist", "disabled"] as const;

/** Where several people and bots meet: who is let in there, what is meant for the bot. */
const rooms = {
  dm_policy: orNull(z.enum([...policy, "pairing"])).describe(
    "Direct messages: open to everybody, for the listed (allowlist), for them and whoever gets paired (pairing), or disabled",
  ),
  group_policy: orNull(z.enum(policy)).describe(
    "Groups: open to all their members, for the listed (allowlist), or disabled; unset: for the listed",
  ),
  group_allowed_chats: listOf(id).describe("Groups in which everybody may talk to the bot; * = in all"),
  allow_bots: z
    .enum(["none", "mentions", "all"])
    .default("none")
    .describe("Other bots: never answered, answered when they mention this one, or always"),
  strict_mention: z
    .boolean()
    .default(false)
    .describe("Only a mention counts: neither a reply to the bot nor a thread with it"),
  thread_require_mention: z
    .boolean()
    .default(false)
    .describe("A mention is needed in threads that the bot takes part in, too"),
  exclusive_bot_mentions: z
    .boolean()
    .default(true)
    .describe("Leave alone what names others and not this bot"),
};

const token = orNull(text).describe("The bot's token; better in .env, as <PLATFORM>_BOT_TOKEN");

/** Core code asks `enabled` and nothing else, so the token's say in it is settled here. */
function settle<P extends { enabled?: boolean | undefined; token: string | null; accounts?: object }>(
  platform: P,
) {
  const { enabled, ...rest } = platform;
  const hasBot = platform.token !== null || Object.keys(platform.accounts ?? {}).length > 0;
  return { enabled: enabled ?? hasBot, ...rest };
}

function builtIn(enabled: boolean) {
  const { enabled: _, ...rest } = common({ requireMention: false, replyInThread: false });
  return z.strictObject({ enabled: z.boolean().default(enabled).describe("Whether it runs"), ...rest });
}

/** Further bots of one platform, by a name of the operator's: their own tokens, all else as the platform has it. */
function accounts<Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .record(z.string(), z.strictObject(shape))
    .default({})
    .describe("Further bots of this platform by name, each with its own tokens");
}

const telegram = z
  .strictObject({
    token,
    accounts: accounts({ token: text }),
    webhook: z
      .strictObject({
        secret: orNull(text).describe("Comes with every call; setting it switches from polling to a webhook"),
        path: text.default("/telegram/webhook").describe("Where on the HTTP port Telegram calls"),
        url: orNull(httpUrl).describe(
          "The HTTP port as Telegram reaches it; unset: the webhook is set by hand",
        ),
      })
      .prefault({})
      .describe("Being called instead of polling"),
    api_root: httpUrl.default("https://api.telegram.org").describe("Address of the Bot API server"),
    ...common({ requireMention: false, replyInThread: false }),
    ...rooms,
    group_messages_per_minute: z
      .int()
      .min(0)
      .max(100)
      .default(20)
      .describe("Messages that a group gets in a minute, the rest waits; 0 = until Telegram makes us wait"),
    free_response_chats: listOf(id).describe("Groups where no mention is needed"),
    allowed_chats: listOf(id).describe("Answer in these groups only; empty = in all"),
    allowed_topics: listOf(id).describe("Answer in these forum topics only; empty = in all"),
    ignored_threads: listOf(id).describe("Never answer in these forum topics"),
    guest_mode: z
      .boolean()
      .default(false)
      .describe("Answer a mention in groups that are not among the allowed ones, too"),
  })
  .transform(settle);

const discord = z
  .strictObject({
    token,
    accounts: accounts({ token: text }),
    api_url: httpUrl
      .default("https://discord.com/api")
      .describe("Address of the REST API, without the version"),
    ...common({ requireMention: true, replyInThread: false }),
    ...rooms,
    allowed_roles: listOf(id).describe("Roles of a server whose members may talk to the bot there"),
    auto_thread: orNull(z.boolean()).describe("Hermes' name for reply_in_thread; wins when it is set"),
  })
  .transform(settle);

const slack = z
  .strictObject({
    token,
    app_token: orNull(text).describe(
      "App-level token (xapp-) for Socket Mode; better in .env (SLACK_APP_TOKEN)",
    ),
    signing_secret: orNull(text).describe(
      "Secret that proves HTTP events; better in .env (SLACK_SIGNING_SECRET)",
    ),
    accounts: accounts({ token: text, app_token: orNull(text), signing_secret: orNull(text) }),
    dm_top_level_threads_as_sessions: z
      .boolean()
      .default(true)
      .describe("A direct message outside of a thread begins a conversation of its own"),
    slash_command: text.default("/hermes").describe("The app's slash command: /hermes status means /status"),
    streaming: z
      .enum(["native", "edit"])
      .default("native")
      .describe("How an unfinished answer is shown: Slack's streams where there is a thread, or edits"),
    api_url: httpUrl.default("https://slack.com/api/").describe("Address of the Web API"),
    ...common({ requireMention: true, replyInThread: true }),
    ...rooms,
  })
  .transform(settle);

const keyName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "is no name: small letters, digits, - and _");

const apiServer = builtIn(true).extend({
  api_key: orNull(text).describe("What clients show as their Bearer key; better in .env (API_SERVER_KEY)"),
  api_keys: z
    .record(keyName, text)
    .default({})
    .describe("Further keys by name; each sees its own sessions alone. Without any key http.token is one"),
  models: listOf(text).describe(
    "Models that clients may ask for, at the same address; else model.default answers",
  ),
  session_headers: listOf(text)
    .prefault(["X-OpenWebUI-Chat-Id"])
    .describe("Headers that name a chat, besides X-Hermes-Session-Id and X-Hermes-Session-Key"),
  timeout: seconds.default(900).describe("Seconds that a client is kept waiting for its answer"),
  rate_limit: z.int().min(0).default(600).describe("Requests a minute with one key; 0 = any number"),
});

/** A platform of somebody else's: the common keys, a token, an address, the rest under `extra`. */
const other = z
  .strictObject({
    token,
    api_url: orNull(httpUrl).describe("Address of its API"),
    ...common({ requireMention: false, replyInThread: false }),
    ...rooms,
  })
  .transform(settle);

export const platforms = z
  .strictObject({
    telegram: telegram.prefault({}).describe("Telegram; TELEGRAM_BOT_TOKEN is enough"),
    discord: discord.prefault({}).describe("Discord; DISCORD_BOT_TOKEN is enough"),
    slack: slack.prefault({}).describe("Slack; SLACK_BOT_TOKEN with SLACK_APP_TOKEN or SLACK_SIGNING_SECRET"),
    api_server: apiServer.prefault({}).describe("OpenAI's API at /v1; API_SERVER_KEY is enough"),
    web: builtIn(true).prefault({}).describe("The web chat on the HTTP port"),
    console: builtIn(false).prefault({}).describe("The terminal the daemon runs in"),
  })
  .catchall(other);
