/** A platform describes itself: everything the rest of the gateway knows about it. Light to import; the SDK comes with `load`. */
import type { Context, Hono } from "hono";
import type { z } from "zod";
import type { CoreConfig } from "../config/core.js";
import type { IncomingMedia } from "../media/incoming.js";
import type { EventOutcome, Origin, OutboundFile, OutboundKind, Principal, Target } from "../message.js";
import type { OutboundQuestion } from "../question.js";
import type { Adapter, MenuCommand } from "./adapter.js";
import type { DueRun } from "./cron/normalise.js";
import type { Probe, ProbeOptions } from "./probe.js";
import type { CommonSettings, DeclaredSettings, ExternalSettings } from "./settings.js";

export interface Platform<Name extends string = string, S extends SettingsSource = SettingsSource> {
  /** Lower case letters, digits and `_`. Part of session keys, of `platforms.<name>` and of targets. */
  readonly name: Name;
  /** As people write it. */
  readonly label: string;
  /** One line for the configuration and for lists. */
  readonly summary: string;
  /** What `platforms.<name>` takes; left out: the platform has no section of its own. */
  readonly settings?: S;
  /** Keys, besides the settings' own credentials, without which an external platform can't run. Default: `token`. */
  readonly credentials?: readonly string[];
  /** Environment variables → keys, besides `<NAME>_BOT_TOKEN`, `<NAME>_ALLOWED_USERS` and so on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Keys of secrets that callers present to us: each must be unique. */
  readonly callerSecrets?: readonly string[];
  readonly ids: IdShapes;
  /** Whether its chats can get messages that they didn't ask for. */
  readonly unsolicited: boolean;
  /** Whether a chat is notified when its session was reset, by default. */
  readonly resetNotices?: boolean;
  /** Its threads are conversations that people return to: they aren't reset unless `reset_by_platform` says so. */
  readonly lastingThreads?: boolean;
  /** Among its kind, in lists and in the configuration; left out: after those that have one, by label. */
  readonly position?: number;
  readonly capabilities: readonly Capability[];
  readonly setup?: SetupGuide;
  readonly docs?: PlatformDocs;
  readonly promises?: CrashPromises;
  /** For platforms without settings: whether to load it. */
  isEnabled?(config: CoreConfig): boolean;
  /** Address of its API, which also tells the time. */
  apiAddress?(settings: SettingsOf<S>): string | null;
  /** Asks the platform about a bot, for `hermes setup` and `hermes doctor`. */
  probe?(bot: BotOf<S>, options: ProbeOptions): Promise<Probe>;
  /** Makes the adapter of one bot. Left out: the gateway doesn't run it. Throws a HermesError where its settings are wrong. */
  load?(bot: BotOf<S>, deps: PlatformDeps): Promise<LoadedPlatform> | LoadedPlatform;
}

export interface IdShapes {
  /** Text that looks otherwise is taken for the name of a chat. */
  chat: RegExp;
  /** A chat's id, for examples. */
  example?: string;
  /** A chat's name, for examples. */
  exampleName?: string;
  /** Where people find their own user id. */
  user?: string;
}

/** What its adapter can do, besides text in and out. */
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

/** The complete schema of a built-in platform, or what checks the own keys of an external one. */
export type SettingsSource = DeclaredSettings | OwnKeys;

/** Checks keys besides the common ones. A function returns them, or throws what is wrong. */
export type OwnKeys<T extends object = object> =
  | StandardSchema<T>
  | ((own: Readonly<Record<string, unknown>>) => T);

/** https://standardschema.dev: zod, valibot, arktype and others have it. */
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
  /** Besides the required secrets, at least one of these. */
  oneOf?: { keys: readonly string[]; message: string };
  /** Something to print that helps with the steps: `hermes setup --<flag>`. */
  print?: { flag: string; help: string; load(): Promise<object> };
}

export interface SecretGuide {
  /** Under `platforms.<name>`. */
  key: string;
  /** As the interview calls it. */
  name: string;
  /** Environment variable, as in `.env`. */
  variable: string;
  /** What every one of them looks like. */
  shape: RegExp;
  example: string;
  /** Of its flag. */
  help: string;
  /** The interview doesn't ask for it. */
  byFlagOnly?: boolean;
}

/** Its row in the README's table. */
export interface PlatformDocs {
  /** About it: `docs/platforms/telegram.md`. */
  page?: string;
  /** What switches it on. */
  secrets: string;
  /** How messages come in. */
  receives: string;
}

/** What it can promise across a crash. The README's table, the docs pages and the crash table's verdict come from here. */
export interface CrashPromises {
  /** Messages that come while the gateway is down, or that are on their way when it crashes. `how` continues that sentence. */
  inbound: { loses: "nothing" | "some"; how: string };
  /** An answer whose send was interrupted. `how` continues that sentence. */
  outbound: { repeats: "never" | "marked"; how: string };
}

// --- loading ------------------------------------------------------------------------------------------------------

export interface LoadedPlatform {
  adapter: Adapter;
  callbacks?: readonly Callback[] | undefined;
  /** Parts of the HTTP port with rules of their own. */
  areas?: readonly HttpArea[] | undefined;
  /** Its own routes on the HTTP port, behind the port's checks. */
  routes?: ((app: Hono) => void) | undefined;
}

/** A path on our HTTP port where the platform calls us. It proves itself there, by a secret or a signature. */
export interface Callback {
  path: string;
  /** Counts against the rate limit: anybody may call it. */
  limited?: boolean;
  handle(request: Request): Promise<Response>;
}

export interface HttpArea {
  /** Of its paths: `/v1/`. */
  beginning: string;
  /** Its routes check secrets of their own instead of the token. */
  ownSecret: boolean;
  bodyMegabytes: number;
}

export type PlatformLog = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/** What an adapter may need of the gateway. */
export interface PlatformDeps {
  /** Everything but `platforms`. */
  config: CoreConfig;
  home: string;
  log: PlatformLog;
  /** Where files of chats go. */
  media: IncomingMedia;
  /** The slash commands, for menus and completion. */
  commands: readonly MenuCommand[];
  /** Text for a chat → the chat. Rejects where there is none. */
  findTarget(words: string): Promise<Target | undefined>;
  /** What became of an event. */
  outcome(platform: string, account: string, eventId: string): Promise<EventOutcome | undefined>;
  chats: ChatReads;
  /** Schedules whose time has come. */
  dueRuns(now: number): Promise<readonly DueRun[]>;
  /** The terminal that the gateway was started in. */
  terminal: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream };
  /** Who sent a request to the HTTP port. */
  clients: ClientReads;
}

/** What a platform may read of its own chats. */
export interface ChatReads {
  /** The newest entries of a chat, oldest first. */
  log(platform: string, chatId: string, limit: number): Promise<readonly ChatLogEntry[]>;
  /** Where a message went, with its files. */
  sent(outboxId: number): Promise<{ target: Target; files: readonly OutboundFile[] } | undefined>;
  /** The session that a chat is in. */
  sessionIdOf(
    origin: Pick<Origin, "platform" | "chatType" | "chatId" | "userId">,
  ): Promise<string | undefined>;
  session(
    id: string,
  ): Promise<{ id: string; title: string | null; source: string; user_id: string | null } | undefined>;
  /** The chat that a session, or the newest one that continues it, is in. */
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
  /** It asks something, and isn't decided. */
  question?: OutboundQuestion;
}

export interface ClientReads {
  /** Its address; behind a proxy, the one that the proxy names. */
  clientOf(c: Context): string;
  /** The same for rate limits; undefined: a program on this machine. */
  clientAddress(c: Context): string | undefined;
}

/** Fills in the defaults. Built-in platforms, plugins and programs that embed the gateway all describe theirs with it. */
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
