/** Slash commands and buttons: three seconds for the first answer, fifteen minutes for the rest. */
import { randomBytes } from "node:crypto";
import { buttonsIn } from "./components.js";
import type { EmulatorCore } from "./core.js";
import * as errors from "./errors.js";
import { checkContent } from "./messages.js";
import { channelPayload, type Json, userPayload } from "./payloads.js";
import type { Call, RestAnswer } from "./rest.js";
import type { Channel, Message, User } from "./world.js";

const LOADING_FLAG = 1 << 7;
const DEFERRED = 5;
const MESSAGE = 4;
/** Answers to a button only. */
const UPDATES: readonly unknown[] = [6, 7];

export interface Interaction {
  id: string;
  token: string;
  channelId: string;
  askedAtMs: number;
  /** How long the bot took to answer; null: not yet. */
  acknowledgedAfterMs: number | null;
  original: Message | null;
  /** The message whose button was pressed; null: a command. */
  pressedOn: Message | null;
}

export class Interactions {
  readonly all = new Map<string, Interaction>();
  readonly #core: EmulatorCore;
  readonly #answerWithinMs: number;

  constructor(core: EmulatorCore, answerWithinMs: number) {
    this.#core = core;
    this.#answerWithinMs = answerWithinMs;
  }

  ask(user: User, channel: Channel, name: string, options: Json[]): Interaction {
    const data = { id: this.#core.world.newId(), name, type: 1, options };
    return this.#begin(user, channel, { type: 2, data });
  }

  /** A button by its label or its id. Delivered once; its token is valid for three seconds. */
  press(user: User, channel: Channel, message: Message, button: string): Interaction {
    const found = message.buttons
      .flat()
      .find(({ label, custom_id: id }) => label === button || id === button);
    if (!found) throw new Error(`Message ${message.id} has no button "${button}"`);
    const data = { component_type: 2, custom_id: found.custom_id };
    return this.#begin(user, channel, { type: 3, data, message: this.#core.rest(message) }, message);
  }

  #begin(user: User, channel: Channel, content: Json, pressedOn: Message | null = null): Interaction {
    const interaction: Interaction = {
      id: this.#core.world.newId(),
      token: randomBytes(40).toString("base64url"),
      channelId: channel.id,
      askedAtMs: Date.now(),
      acknowledgedAfterMs: null,
      original: null,
      pressedOn,
    };
    this.all.set(interaction.id, interaction);
    this.#core.gateway.dispatch("INTERACTION_CREATE", this.#payload(interaction, user, channel, content));
    return interaction;
  }

  #payload({ id, token }: Interaction, user: User, channel: Channel, content: Json): Json {
    const who = channel.guildId
      ? { guild_id: channel.guildId, member: { user: userPayload(user), roles: user.roles, nick: null } }
      : { user: userPayload(user) };
    return {
      id,
      token,
      application_id: this.#core.applicationId,
      version: 1,
      channel_id: channel.id,
      channel: channelPayload(channel, this.#core.bot.id),
      ...content,
      ...who,
    };
  }

  callback(call: Call, id: string, token: string): RestAnswer {
    const interaction = this.all.get(id);
    const afterMs = interaction ? Date.now() - interaction.askedAtMs : 0;
    if (!interaction || interaction.token !== token || afterMs > this.#answerWithinMs) {
      throw errors.unknownInteraction();
    }
    if (interaction.acknowledgedAfterMs !== null) throw errors.alreadyAcknowledged();
    if (UPDATES.includes(call.body.type) && interaction.pressedOn === null)
      throw errors.invalidForm("type", "INTERACTION_INVALID_TYPE", "Not an answer to a command");
    interaction.acknowledgedAfterMs = afterMs;
    const data = (call.body.data ?? {}) as Json;
    const loading = call.body.type === DEFERRED;
    if (!loading && call.body.type !== MESSAGE) return { status: 204 };
    interaction.original = this.#core.say({
      channelId: interaction.channelId,
      authorId: this.#core.bot.id,
      content: checkContent(data.content),
      type: 20,
      flags: loading ? LOADING_FLAG : 0,
      webhookId: this.#core.applicationId,
    });
    return { status: 204 };
  }

  editOriginal(call: Call, token: string): RestAnswer {
    const original = this.#original(token);
    original.flags &= ~LOADING_FLAG;
    this.#core.edit(original, checkContent(call.body.content), buttonsIn(call.body));
    return { body: this.#core.rest(original) };
  }

  deleteOriginal(token: string): RestAnswer {
    this.#core.remove(this.#original(token));
    return { status: 204 };
  }

  #original(token: string): Message {
    const found = [...this.all.values()].find((interaction) => interaction.token === token);
    if (!found) throw errors.unknownWebhook();
    if (!found.original || found.original.deleted) throw errors.unknownMessage();
    return found.original;
  }
}
