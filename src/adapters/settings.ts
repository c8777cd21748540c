/** The config keys under `platforms.<name>`: those shared by all platforms, and how a platform adds its own. */
import { z } from "zod";
import { id, listOf, orNull, pattern, sample, text } from "../config/sections/scalars.js";

export { httpUrl, id, listOf, orNull, sample, seconds, text } from "../config/sections/scalars.js";

export const dmBehavior = z.enum(["pair", "ignore"]);

export interface Habits {
  /** Defaults of the keys of the same names. */
  requireMention: boolean;
  replyInThread: boolean;
}

const NO_HABITS: Habits = { requireMention: false, replyInThread: false };

const requireMention = (value: boolean) =>
  z.boolean().default(value).describe("In groups, answer only when mentioned or replied to");
const replyInThread = (value: boolean) =>
  z.boolean().default(value).describe("Answer a channel message in its own thread");

/** One set of schemas for all platforms: each set takes some 200 kB of memory. */
const COMMON_KEYS = {
  enabled: z.boolean().optional().describe("Unset: on once there is a token; false keeps it off"),
  allow_from: listOf(id).describe("Users who may talk to the bot; * = everyone"),
  allow_all: z.boolean().default(false).describe("Everyone may talk to the bot"),
  group_allow_from: listOf(id).describe("Users who may talk to it in groups, besides those above"),
  allow_admin_from: listOf(id).describe("Admins in direct messages; empty = everyone may use every command"),
  user_allowed_commands: listOf(text).describe("Commands that others may use in direct messages"),
  group_allow_admin_from: listOf(id).describe("Admins in groups; empty = everyone may use every command"),
  group_user_allowed_commands: listOf(text).describe("Commands that others may use in groups"),
  unauthorized_dm_behavior: orNull(dmBehavior).describe(
    "A stranger's direct message: pair or ignore; unset: as the top-level key",
  ),
  require_mention: requireMention(NO_HABITS.requireMention),
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
  reply_in_thread: replyInThread(NO_HABITS.replyInThread),
  catch_up_max_age: z
    .number()
    .min(0)
    .default(86_400)
    .describe("Seconds: messages missed for longer than this are not answered; 0 = never catch up"),
  home_channel: orNull(id).describe("Chat for notices outside any conversation"),
  extra: z.record(z.string(), z.unknown()).default({}).describe("Other keys for the adapter, not validated"),
};

function commonKeys(habits: Habits) {
  return {
    ...COMMON_KEYS,
    require_mention: requireMention(habits.requireMention),
    reply_in_thread: replyInThread(habits.replyInThread),
  };
}

const policy = ["open", "allowlist", "disabled"] as const;

/** For platforms with groups and other bots. */
const roomKeys = {
  dm_policy: orNull(z.enum([...policy, "pairing"])).describe(
    "Direct messages: open to everyone, only listed users (allowlist), listed and paired users (pairing), or disabled",
  ),
  group_policy: sample(
    orNull(z.enum(policy)).describe(
      "Groups: open to all their members, only listed users (allowlist, the default), or disabled",
    ),
    "allowlist",
  ),
  group_allowed_chats: listOf(id).describe("Groups in which everyone may talk to the bot; * = in all"),
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
    .describe("Require a mention also in threads that the bot takes part in"),
  exclusive_bot_mentions: z
    .boolean()
    .default(true)
    .describe("Skip messages that mention others but not this bot"),
};

/** A bot's token, for platforms that have one. */
export const botToken = orNull(text).describe("The bot's token; better in .env, as <PLATFORM>_BOT_TOKEN");

/** A complete schema of `platforms.<name>`, and its required keys. */
export interface DeclaredSettings<S extends z.ZodType = z.ZodType> {
  schema: S;
  credentials: readonly string[];
}

export interface BotSettings<Keys extends z.ZodRawShape, Account extends z.ZodRawShape> {
  /** The platform's own keys, including its credentials. */
  keys: Keys;
  /** Own keys that are required to connect. Once all are set, the platform is on. */
  credentials: readonly (keyof Keys & string)[];
  /** Keys of each additional bot under `accounts`. */
  account: Account;
  habits?: Habits;
}

/** A platform that people reach with their own bot: on as soon as it has its credentials. */
export function botSettings<Keys extends z.ZodRawShape, Account extends z.ZodRawShape>({
  keys,
  credentials,
  account,
  habits = NO_HABITS,
}: BotSettings<Keys, Account>) {
  const accounts = z
    .record(z.string(), z.strictObject(account))
    .default({})
    .describe("Additional bots of this platform by name, each with its own tokens");
  const schema = z
    .strictObject({ ...keys, accounts, ...commonKeys(habits), ...roomKeys })
    .transform((settings) => withEnabled(settings, credentials));
  return { schema, credentials };
}

/** The rest of the gateway reads `enabled` only, so the default is resolved here. */
export function withEnabled<S extends object>(
  settings: S,
  credentials: readonly string[],
): Omit<S, "enabled"> & { enabled: boolean } {
  const { enabled, accounts, ...rest } = settings as Record<string, unknown> & { enabled?: boolean };
  const isComplete = credentials.every((key) => rest[key] !== null && rest[key] !== undefined);
  const hasBot = isComplete || Object.keys(accounts ?? {}).length > 0;
  const resolved = { enabled: enabled ?? hasBot, ...rest, ...(accounts === undefined ? {} : { accounts }) };
  return resolved as unknown as Omit<S, "enabled"> & { enabled: boolean };
}

/** A platform provided by the gateway itself, controlled by `enabled` only. */
export function ownSettings<Keys extends z.ZodRawShape>(enabled: boolean, keys: Keys) {
  const { enabled: _, ...rest } = commonKeys(NO_HABITS);
  const isEnabled = z.boolean().default(enabled).describe("Whether it runs");
  return { schema: z.strictObject({ enabled: isEnabled, ...rest, ...keys }), credentials: [] };
}

/** An external platform: the common keys, a token and an address. Its own schema validates its own keys. */
export const externalSchema = z.strictObject({
  token: botToken,
  api_url: orNull(z.url({ protocol: /^https?$/ })).describe("Address of its API"),
  ...commonKeys(NO_HABITS),
  ...roomKeys,
});

export type ExternalSettings = Omit<z.output<typeof externalSchema>, "enabled"> & { enabled: boolean };
/** The keys that every platform has. */
export type CommonSettings = z.output<ReturnType<typeof ownSettings<Record<never, never>>>["schema"]>;
export type RoomSettings = { [Key in keyof typeof roomKeys]: z.output<(typeof roomKeys)[Key]> };
