/** Native slash commands: registered in every team of the bot, and called by the server over HTTP. */
import type { InboundMessage } from "../../message.js";
import { isSameSecret } from "../../secret.js";
import type { MenuCommand } from "../adapter.js";
import { isRecord, RestError } from "../kit/rest.js";
import { errorIdOf, type MattermostApi, sendErrorOf } from "./api.js";
import { isCommandToken, isId, isTrigger } from "./ids.js";
import { chatTypeOf, PLATFORM } from "./normalise.js";

export interface CommandCall {
  token: string;
  channelId: string;
  rootId: string | null;
  userId: string;
  userName: string | null;
  /** Without the slash. */
  command: string;
  text: string;
  trigger: string;
}

const MAX_TEXT = 20_000;

/** Undefined: not a call of a command. */
export function readCommandCall(form: URLSearchParams): CommandCall | undefined {
  const [token, channelId, userId, trigger] = ["token", "channel_id", "user_id", "trigger_id"].map((name) =>
    form.get(name),
  );
  const [, command] = /^\/([\w.-]{1,64})$/.exec(form.get("command") ?? "") ?? [];
  if (!isCommandToken(token) || !isId(channelId) || !isId(userId) || !isTrigger(trigger)) return undefined;
  if (command === undefined) return undefined;
  const rootId = form.get("root_id");
  return {
    ...{ token, channelId, userId, command: command.toLowerCase(), trigger },
    rootId: isId(rootId) ? rootId : null,
    userName: form.get("user_name") || null,
    text: (form.get("text") ?? "").slice(0, MAX_TEXT),
  };
}

export interface CallContext {
  account: string;
  channel: { type: string; name: string | null };
  /** The gateway's commands. */
  known: ReadonlySet<string>;
  nowSeconds: number;
}

/** Like a typed one. A command of another name, such as /hermes, takes one of ours or a message. */
export function commandMessage(
  call: CommandCall,
  { account, channel, known, nowSeconds }: CallContext,
): InboundMessage {
  const { command, text, trigger, channelId, rootId, userId, userName } = call;
  const [word = ""] = text.trimStart().split(/\s/, 1);
  const isOwn = known.has(command);
  const typed = isOwn ? `/${command} ${text}` : known.has(word.toLowerCase()) ? `/${text.trimStart()}` : text;
  return {
    platform: PLATFORM,
    account,
    // The same for a call that is replayed.
    eventId: `command:${trigger}`,
    origin: {
      platform: PLATFORM,
      ...{ chatType: chatTypeOf(channel.type), chatId: channelId, chatName: channel.name },
      ...{ threadId: rootId, userId, userName, messageId: null },
    },
    text: typed.trim(),
    attachments: [],
    sentAt: nowSeconds,
    mentioned: true,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: false,
  };
}

// ── registration ────────────────────────────────────────────────────────────────────────────────────────────────────

interface Registered {
  id: string;
  trigger: string;
  url: string;
  token: string;
  description: string;
}

export class CommandMenu {
  readonly #api: MattermostApi;
  readonly #url: string;
  /** Those that an administrator made by hand, and those of our own commands. */
  readonly #tokens: Set<string>;

  constructor(api: MattermostApi, url: string, given: readonly string[]) {
    this.#api = api;
    this.#url = url;
    this.#tokens = new Set(given);
  }

  /** Compares with all of them, so that the time doesn't tell which. */
  isToken(token: string): boolean {
    return [...this.#tokens].map((known) => isSameSecret(known, token)).includes(true);
  }

  /** Gives the names that the server keeps for itself or for others. Rejects with a SendError. */
  async register(commands: readonly MenuCommand[], signal: AbortSignal): Promise<string[]> {
    try {
      const taken = new Set<string>();
      for (const teamId of await this.#teams(signal))
        for (const name of await this.#registerIn(teamId, commands, signal)) taken.add(name);
      return [...taken];
    } catch (error) {
      throw sendErrorOf(error, { repeatable: true });
    }
  }

  async #teams(signal: AbortSignal): Promise<string[]> {
    const teams = await this.#api.call("GET", "/users/me/teams", { signal });
    return (Array.isArray(teams) ? teams : []).flatMap((team) =>
      isRecord(team) && isId(team.id) ? [team.id] : [],
    );
  }

  async #registerIn(
    teamId: string,
    commands: readonly MenuCommand[],
    signal: AbortSignal,
  ): Promise<string[]> {
    const query = { team_id: teamId, custom_only: "true" };
    const listed = await this.#api.call("GET", "/commands", { query, signal });
    const present = (Array.isArray(listed) ? listed : []).flatMap((one) => readCommand(one) ?? []);
    const taken: string[] = [];
    for (const command of commands) {
      const own = present.find(({ trigger, url }) => trigger === command.name && url === this.#url);
      const token = own
        ? await this.#renewed(own, teamId, command, signal)
        : await this.#create(teamId, command, signal);
      if (token === undefined) taken.push(command.name);
      else this.#tokens.add(token);
    }
    return taken;
  }

  /** Undefined if the name is taken. */
  async #create(teamId: string, command: MenuCommand, signal: AbortSignal): Promise<string | undefined> {
    try {
      const body = this.#bodyOf(teamId, command);
      return readCommand(await this.#api.call("POST", "/commands", { body, signal }))?.token;
    } catch (error) {
      if (error instanceof RestError && error.status === 400 && /trigger/.test(errorIdOf(error)))
        return undefined;
      throw error;
    }
  }

  async #renewed(
    { id, token, description }: Registered,
    teamId: string,
    command: MenuCommand,
    signal: AbortSignal,
  ): Promise<string> {
    if (description === command.description) return token;
    const body = { ...this.#bodyOf(teamId, command), id, token };
    await this.#api.call("PUT", `/commands/${id}`, { body, signal });
    return token;
  }

  #bodyOf(teamId: string, { name, description, usage }: MenuCommand): object {
    return {
      ...{ team_id: teamId, trigger: name, method: "P", url: this.#url, display_name: name },
      ...{ description, auto_complete: true, auto_complete_desc: description },
      auto_complete_hint: usage ?? "",
    };
  }
}

function readCommand(value: unknown): Registered | undefined {
  if (!isRecord(value)) return undefined;
  const { id, trigger, url, token, description } = value;
  if (!isId(id) || !isCommandToken(token) || typeof trigger !== "string" || typeof url !== "string")
    return undefined;
  return { id, trigger, url, token, description: typeof description === "string" ? description : "" };
}
