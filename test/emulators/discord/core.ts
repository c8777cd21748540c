/** Shared by all routes: the world, and the events that its changes cause. */
import type { GatewayServer } from "./gateway.js";
import { type Json, messagePayload } from "./payloads.js";
import type { Button, Message, User, World } from "./world.js";

export interface EmulatorCore {
  readonly world: World;
  readonly gateway: GatewayServer;
  readonly bot: User;
  readonly applicationId: string;
  readonly baseUrl: string;
  readonly nonces: Nonces;
  /** Channels with a typing sign of the bot. */
  readonly typing: string[];
  /** The bot's reactions: "message emoji". */
  readonly reactions: Set<string>;
  /** The bot's registered commands. */
  commands: Json[];
  say(fields: Parameters<World["addMessage"]>[0]): Message;
  edit(message: Message, content: string, buttons?: Button[][]): void;
  remove(message: Message): void;
  /** As in a REST answer. */
  rest(message: Message): Json;
}

/** "The past few minutes". */
export class Nonces {
  readonly #known = new Map<string, { message: Message; untilMs: number }>();
  readonly #windowMs: number;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  add(channelId: string, nonce: string, message: Message): void {
    this.#known.set(`${channelId}:${nonce}`, { message, untilMs: Date.now() + this.#windowMs });
  }

  find(channelId: string, nonce: string): Message | undefined {
    const found = this.#known.get(`${channelId}:${nonce}`);
    return found && found.untilMs > Date.now() ? found.message : undefined;
  }
}

export function buildCore(parts: Omit<EmulatorCore, "say" | "edit" | "remove" | "rest">): EmulatorCore {
  const { world, gateway } = parts;
  const payload = (message: Message, forGateway: boolean) =>
    messagePayload(world, message, { baseUrl: core.baseUrl, forGateway });
  const core: EmulatorCore = Object.assign(parts, {
    say(fields: Parameters<World["addMessage"]>[0]) {
      const message = world.addMessage(fields);
      gateway.dispatch("MESSAGE_CREATE", payload(message, true));
      return message;
    },
    edit(message: Message, content: string, buttons?: Button[][]) {
      world.edit(message, content);
      if (buttons) message.buttons = buttons;
      gateway.dispatch("MESSAGE_UPDATE", payload(message, true));
    },
    remove(message: Message) {
      message.deleted = true;
      const guildId = world.channels.get(message.channelId)?.guildId;
      const inGuild = guildId ? { guild_id: guildId } : {};
      gateway.dispatch("MESSAGE_DELETE", { id: message.id, channel_id: message.channelId, ...inGuild });
    },
    rest: (message: Message) => ({
      ...payload(message, false),
      ...(message.nonce === null ? {} : { nonce: message.nonce }),
    }),
  });
  return core;
}
