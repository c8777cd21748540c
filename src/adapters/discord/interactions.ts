/**
 * Slash commands: answered at once with "is thinking", for good later by editing that. The keys to those answers are
 * written down, so that a restart edits the same one instead of posting a second.
 */
import type { APIInteraction, REST } from "discord.js";
import type { AdapterEvents } from "../adapter.js";
import { discordCode, isRefusal } from "./faults.js";
import { cursorNames, timeOf } from "./ids.js";
import { CALLBACK_DEFERRED_MESSAGE } from "./kinds.js";

interface Entry {
  id: string;
  token: string;
  applicationId: string;
  /** The message that has taken this answer. */
  takenBy?: string;
}

/** Discord forgets them after 15 minutes. */
const LIFETIME_MS = 14.5 * 60_000;
const MOST = 200;
const UNKNOWN_INTERACTION = 10062;
const ALREADY_ACKNOWLEDGED = 40060;

export class Interactions {
  readonly #rest: REST;
  readonly #events: Pick<AdapterEvents, "cursor" | "saveCursor">;
  #entries: Entry[] = [];

  constructor(rest: REST, events: Pick<AdapterEvents, "cursor" | "saveCursor">) {
    this.#rest = rest;
    this.#events = events;
  }

  async load(): Promise<void> {
    const saved = await this.#events.cursor(cursorNames.interactions);
    this.#entries = parseEntries(saved).filter(isAlive);
  }

  /** "Is thinking". False: too late, and the user has been told that it failed. */
  async defer({ id, token }: APIInteraction): Promise<boolean> {
    try {
      const body = { type: CALLBACK_DEFERRED_MESSAGE };
      await this.#rest.post(`/interactions/${id}/${token}/callback`, { body, auth: false });
      return true;
    } catch (error) {
      if (discordCode(error) === ALREADY_ACKNOWLEDGED) return true;
      if (discordCode(error) === UNKNOWN_INTERACTION) return false;
      return !isRefusal(error);
    }
  }

  async remember({ id, token, application_id }: APIInteraction): Promise<void> {
    if (this.#entries.some((entry) => entry.id === id)) return;
    this.#entries.push({ id, token, applicationId: application_id });
    await this.#save();
  }

  /** The route of the answer that this message may take; the first one to ask gets it, and gets it again. */
  async take(interactionId: string | null, nonce: string): Promise<`/${string}` | undefined> {
    const entry = this.#find(interactionId);
    if (!entry || (entry.takenBy !== undefined && entry.takenBy !== nonce)) return undefined;
    if (entry.takenBy === undefined) {
      entry.takenBy = nonce;
      await this.#save();
    }
    return routeOf(entry);
  }

  /** For a preview, which takes nothing. */
  routeFor(interactionId: string | null): `/${string}` | undefined {
    const entry = this.#find(interactionId);
    return entry && entry.takenBy === undefined ? routeOf(entry) : undefined;
  }

  isKnown(id: string): boolean {
    return this.#find(id) !== undefined;
  }

  #find(id: string | null): Entry | undefined {
    return id === null ? undefined : this.#entries.find((entry) => entry.id === id && isAlive(entry));
  }

  async #save(): Promise<void> {
    this.#entries = this.#entries.filter(isAlive).slice(-MOST);
    await this.#events.saveCursor({ name: cursorNames.interactions, value: JSON.stringify(this.#entries) });
  }
}

function routeOf({ applicationId, token }: Entry): `/${string}` {
  return `/webhooks/${applicationId}/${token}/messages/@original`;
}

function isAlive({ id }: Entry): boolean {
  return timeOf(id) > Date.now() - LIFETIME_MS;
}

function parseEntries(saved: string | undefined): Entry[] {
  try {
    return saved ? (JSON.parse(saved) as Entry[]) : [];
  } catch {
    return [];
  }
}
