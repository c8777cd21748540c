/**
 * Slash commands: answered immediately with "is thinking", which the answer replaces later. The interaction
 * tokens are stored, so that after a restart the same reply is edited instead of posting a second one.
 */
import type { APIInteraction, REST } from "discord.js";
import { InteractionResponseType, RESTJSONErrorCodes } from "discord-api-types/v10";
import type { AdapterEvents } from "../adapter.js";
import { discordCode, isRefusal } from "./faults.js";
import { cursorNames, timeOf } from "./ids.js";

interface DeferredAnswer {
  id: string;
  token: string;
  applicationId: string;
  /** Nonce of the message that replaces "is thinking". */
  takenBy?: string;
}

/** A token is valid for 15 minutes. */
const LIFETIME_MS = 14.5 * 60_000;
const MAX_ANSWERS = 200;

export class Interactions {
  readonly #rest: REST;
  readonly #events: Pick<AdapterEvents, "cursor" | "saveCursor">;
  #answers: DeferredAnswer[] = [];

  constructor(rest: REST, events: Pick<AdapterEvents, "cursor" | "saveCursor">) {
    this.#rest = rest;
    this.#events = events;
  }

  async load(): Promise<void> {
    const saved = await this.#events.cursor(cursorNames.interactions);
    this.#answers = parseAnswers(saved).filter(isAlive);
  }

  /** Shows "is thinking". False: too late, and Discord has shown the user a failure. */
  defer(interaction: APIInteraction): Promise<boolean> {
    return this.#respond(interaction, InteractionResponseType.DeferredChannelMessageWithSource);
  }

  /** Ends the sign that a button is being pressed. False: too late, and Discord has shown the user a failure. */
  acknowledgePress(interaction: APIInteraction): Promise<boolean> {
    return this.#respond(interaction, InteractionResponseType.DeferredMessageUpdate);
  }

  async #respond({ id, token }: APIInteraction, type: InteractionResponseType): Promise<boolean> {
    try {
      await this.#rest.post(`/interactions/${id}/${token}/callback`, { body: { type }, auth: false });
      return true;
    } catch (error) {
      if (discordCode(error) === RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged) return true;
      if (discordCode(error) === RESTJSONErrorCodes.UnknownInteraction) return false;
      return !isRefusal(error);
    }
  }

  async remember({ id, token, application_id }: APIInteraction): Promise<void> {
    if (this.#answers.some((answer) => answer.id === id)) return;
    this.#answers.push({ id, token, applicationId: application_id });
    await this.#save();
  }

  /** The REST path of the answer that this message may replace. The first message to ask gets it, also on its retries. */
  async claim(interactionId: string | null, nonce: string): Promise<`/${string}` | undefined> {
    const answer = this.#find(interactionId);
    if (!answer || (answer.takenBy !== undefined && answer.takenBy !== nonce)) return undefined;
    if (answer.takenBy === undefined) {
      answer.takenBy = nonce;
      await this.#save();
    }
    return pathOf(answer);
  }

  /** For a preview, which claims nothing. */
  pathFor(interactionId: string | null): `/${string}` | undefined {
    const answer = this.#find(interactionId);
    return answer && answer.takenBy === undefined ? pathOf(answer) : undefined;
  }

  isKnown(id: string): boolean {
    return this.#find(id) !== undefined;
  }

  #find(id: string | null): DeferredAnswer | undefined {
    return id === null ? undefined : this.#answers.find((answer) => answer.id === id && isAlive(answer));
  }

  async #save(): Promise<void> {
    this.#answers = this.#answers.filter(isAlive).slice(-MAX_ANSWERS);
    await this.#events.saveCursor({ name: cursorNames.interactions, value: JSON.stringify(this.#answers) });
  }
}

function pathOf({ applicationId, token }: DeferredAnswer): `/${string}` {
  return `/webhooks/${applicationId}/${token}/messages/@original`;
}

function isAlive({ id }: DeferredAnswer): boolean {
  return timeOf(id) > Date.now() - LIFETIME_MS;
}

function parseAnswers(saved: string | undefined): DeferredAnswer[] {
  try {
    return saved ? (JSON.parse(saved) as DeferredAnswer[]) : [];
  } catch {
    // Unreadable: those commands are answered with new messages.
    return [];
  }
}
