/** A platform's description: everything the rest of the gateway knows about it. Cheap to import; `load` loads the SDK. */
import type { Context, Hono } from "hono";
import type { z } from "zod";
import type { CoreConfig } from "../config/core.js";
import type { IncomingMedia } from "../media/incoming.js";
import type { EventOutcome, Origin, OutboundFile, OutboundKind, Principal, Target } from "../message.js";
import type { OutboundQuestion } from "../question.js";
import type { Adapter, MenuCommand } from "./adapter.js";
import type { DueRun } from "./cron/normalise.js";
import type { HomeProbeOptions, Probe } from "./probe.js";
import type { CommonSettings, DeclaredSettings, ExternalSettings } from "./settings.js";

export interface Platform<Name extends string = string, S extends SettingsSource = SettingsSource> {
  /** Lower case letters, digits and `_`. Part of session keys, of `platforms.<name>` and of targets. */
  readonly name: Name;
  /** Display name. */
  readonly label: string;
  /** One line for the configuration and for lists. */
  readonly summary: string;
  /** The schema of `platforms.<name>`. Default: the platform has no section. */
  readonly settings?: S;
  /** Keys, besides the settings' own credentials, without which an external platform can't run. Default: `token`. */
  readonly credentials?: readonly string[];
  /** Environment variables → keys, besides `<NAME>_BOT_TOKEN`, `<NAME>_ALLOWED_USERS` and so on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Keys of secrets that callers present to us. Their values must be unique. */
  readonly callerSecrets?: readonly string[];
  readonly ids: IdShapes;
  /** Whether its chats can receive unsolicited messages. */
  readonly unsolicited: boolean;
  /** Whether chats are notified of a session reset, by default. */
  readonly resetNotices?: boolean;
  /** People return to its threads, so they aren't reset unless `reset_by_platform` says so. */
  readonly lastingThreads?: boolean;
  /** Sort order in lists and in the configuration. Default: after those that have one, by label. */
  readonly position?: number;
  readonly capabilities: readonly Capability[];
  readonly setup?: SetupGuide;
  readonly docs?: PlatformDocs;
  readonly promises?: CrashPromises;
  /** For platforms without settings: whether to load it. */
  isEnabled?(config: CoreConfig): boolean;
  /** The API's address, also used to check the clock. */
  apiAddress?(settings: SettingsOf<S>): string | null;
  /** Asks the platform about a bot, for `hermes setup` and `hermes doctor`. */
  probe?(bot: BotOf<S>, options: HomeProbeOptions): Promise<Probe>;
  /** Creates the adapter of one bot. If missing, the gateway doesn't run the platform. Throws a HermesError if its settings are wrong. */
  load?(bot: BotOf<S>, deps: PlatformDeps): Promise<LoadedPlatform> | LoadedPlatform;
}

export interface IdShapes {
  /** Text of another shape is treated as a chat's name. */
  chat: RegExp;
  /** A chat's id, for examples. */
  example?: string;
  /** A chat's name, for examples. */
  exampleName?: string;
  /** Where people find their own user id. */
  user?: string;
}

/** The adapter's abilities besides text. */
export type Capability = "files" | "streaming" | "typing" | "menu" | "buttons" | "lookup";

/** A bot's settings, with its name: the platform's, or the account's under `accounts`. */
export type BotOf<S> = SettingsOf<S> & { name: string };

export type SettingsOf<S> =
  S extends DeclaredSettings<infer Z>
    ? z.output<Z>
    : S extends StandardSchema<infer Own>
      ? ExternalSettings & Own
      : S extends (own: Readonly<Record<string, unknown>>) => infer Own
        ? ExternalSettings & Own
        : CommonSettings;

/** The complete schema of a built-in platform, or the schema of an external platform's own keys. */
export type SettingsSource = DeclaredSettings | OwnKeys;

/** Validates keys besides the common ones. A function returns them, or throws an error that says what is wrong. */
export type OwnKeys<T extends object = object> =
  | StandardSchema<T>
  | ((own: Readonly<Record<string, unknown>>) => T);

/** https://standardschema.dev, which zod, valibot, arktype and others implement. */
export interface StandardSchema<T> {
  readonly "~standard": {
    readonly validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>;
  };
}

export type StandardResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

// --- setup and documentation --------------------------------------------------------------------------------------

export interface SetupGuide {
  /** How to get the secrets, step by step. */
  steps: readonly string[];
  secrets: readonly SecretGuide[];
  /** At least one of these is needed besides the required secrets. */
  oneOf?: { keys: readonly string[]; message: string };
  /** Prints something needed for the steps: `hermes setup --<flag>`. */
  print?: { flag: string; help: string; load(): Promise<object> };
}

export interface SecretGuide {
  /** Under `platforms.<name>`. */
  key: string;
  /** Its label in the interview. */
  name: string;
  /** Environment variable, as in `.env`. */
  variable: string;
  /** The pattern that values match. */
  shape: RegExp;
  example: string;
  /** Help text of its flag. */
  help: string;
  /** Skipped in the interview. */
  byFlagOnly?: boolean;
}

/** Its row in the README's table. */
export interface PlatformDocs {
  /** Its docs page: `docs/platforms/telegram.md`. */
  page?: string;
  /** What enables it. */
  secrets: string;
  /** How messages arrive. */
  receives: string;
}

/** Its delivery guarantees across a crash, for the README's table, the docs pages and the crash table. */
export interface CrashPromises {
  /** Messages that arrive while the gateway is down or crashes. `how` completes that sentence. */
  inbound: { loses: "nothing" | "some"; how: string };
  /** An answer whose send was interrupted. `how` completes that sentence. */
  outbound: { repeats: "never" | "marked"; how: string };
}

// --- loading ------------------------------------------------------------------------------------------------------

export interface LoadedPlatform {
  adapter: Adapter;
  callbacks?: readonly Callback[] | undefined;
  /** Path prefixes on the HTTP port with their own rules. */
  areas?: readonly HttpArea[] | undefined;
  /** Its own routes on the HTTP port, behind the port's checks. */
  routes?: ((app: Hono) => void) | undefined;
}

/** A path on our HTTP port that the platform calls, authenticated by a secret or a signature. */
export interface Callback {
  path: string;
  /** Counts against the rate limit: anyone may call it. */
  limited?: boolean;
  handle(request: Request): Promise<Response>;
}

export interface HttpArea {
  /** Prefix of its paths: `/v1/`. */
  beginning: string;
  /** Its routes check their own secrets instead of the token. */
  ownSecret: boolean;
  bodyMegabytes: number;
}

export type PlatformLog = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/** What an adapter may use of the gateway. */
export interface PlatformDeps {
  /** Everything except `platforms`. */
  config: CoreConfig;
  home: string;
  log: PlatformLog;
  /** Where files of chats are stored. */
  media: IncomingMedia;
  /** The slash commands, for menus and completion. */
  commands: readonly MenuCommand[];
  /** Text for a chat → the chat. Rejects if there is none. */
  findTarget(words: string): Promise<Target | undefined>;
  /** The outcome of an event. */
  outcome(platform: string, account: string, eventId: string): Promise<EventOutcome | undefined>;
  chats: ChatReads;
  /** Due schedules. */
  dueRuns(now: number): Promise<readonly DueRun[]>;
  /** The terminal in which the gateway was started. */
  terminal: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream };
  /** Who sent a request to the HTTP port. */
  clients: ClientReads;
}

/** A platform's read access to its own chats. */
export interface ChatReads {
  /** The newest entries of a chat, oldest first. */
  log(platform: string, chatId: string, limit: number): Promise<readonly ChatLogEntry[]>;
  /** Where a message went, with its files. */
  sent(outboxId: number): Promise<{ target: Target; files: readonly OutboundFile[] } | undefined>;
  /** A chat's current session. */
  sessionIdOf(
    origin: Pick<Origin, "platform" | "chatType" | "chatId" | "userId">,
  ): Promise<string | undefined>;
  session(
    id: string,
  ): Promise<{ id: string; title: string | null; source: string; user_id: string | null } | undefined>;
  /** The chat that uses a session or its newest continuation. */
  chatOf(sessionId: string): Promise<string | null>;
  /** A person's sessions, newest first. */
  sessions(
    owner: Principal,
    limit: number,
  ): Promise<readonly { id: string; title: string | null; preview: string | null; lastActive: number }[]>;
}

export interface ChatLogEntry {
  /** `in:12` or `out:34`. */
  id: string;
  from: "user" | "bot";
  kind: OutboundKind | "message";
  text: string;
  at: number;
  turnId: string | null;
  files: readonly OutboundFile[];
  /** It has an open question. */
  question?: OutboundQuestion;
}

export interface ClientReads {
  /** Its address; behind a proxy, the one that the proxy names. */
  clientOf(c: Context): string;
  /** The same for rate limits; undefined: a program on this machine. */
  clientAddress(c: Context): string | undefined;
}

/** Fills in the defaults. Used by built-in platforms, plugins and embedding programs. */
export function definePlatform<Name extends string, S extends SettingsSource = SettingsSource>(
  platform: PlatformInput<Name, S>,
): Platform<Name, S> {
  return {
    label: platform.name,
    summary: platform.label ?? platform.name,
    ids: { chat: /^\S+$/ },
    unsolicited: true,
    capabilities: [],
    ...platform,
  };
}

type Defaulted = "label" | "summary" | "ids" | "unsolicited" | "capabilities";
export type PlatformInput<Name extends string = string, S extends SettingsSource = SettingsSource> = Omit<
  Platform<Name, S>,
  Defaulted
> &
  Partial<Pick<Platform<Name, S>, Defaulted>>;
