/** Messages missed while disconnected: a channel's history after its cursor, oldest first. */
import type { REST } from "discord.js";
import PQueue from "p-queue";
import { BoundedMap } from "../../bounded-map.js";
import type { AdapterEvents } from "../adapter.js";
import type { Settings } from "./config.js";
import { isRefusal } from "./faults.js";
import { cursorNames, idAt, isAfter, timeOf } from "./ids.js";
import type { NativeMessage } from "./normalise.js";

const PAGE = 100;
const MAX_PAGES = 20;
const MAX_UNREADABLE = 20_000;
/** Leaves room for answers while a thousand channels catch up. */
const CONCURRENT_READS = 8;

export interface CatchUpParts {
  rest: REST;
  settings: Settings;
  events: Pick<AdapterEvents, "cursor" | "saveCursor">;
  /** Retries until it works or the adapter stops. */
  persist<T>(work: () => Promise<T>): Promise<T>;
  /** Like a message from the gateway. */
  receive(message: NativeMessage): Promise<void>;
}

export interface MissedRange {
  channelId: string;
  guildId: string | null;
  /** Where to begin if there is no cursor. */
  since: string;
  /** When the bot joined: nothing before is read. */
  notBefore?: string;
}

export class CatchUp {
  readonly #parts: CatchUpParts;
  /** Channels that the bot may not read: repeated attempts count against it. */
  readonly #unreadable = new BoundedMap<string, true>(MAX_UNREADABLE);
  readonly #reads = new PQueue({ concurrency: CONCURRENT_READS });

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
  }

  async run(missed: MissedRange): Promise<void> {
    if (this.#unreadable.has(missed.channelId)) return;
    const { events, persist, settings } = this.#parts;
    const cursor = await persist(() => events.cursor(cursorNames.channel(missed.channelId)));
    let after = this.#begin(missed, cursor);
    const oldestMs = Date.now() - settings.catchUpMaxAgeSeconds * 1000;
    for (let page = 0; page < MAX_PAGES; page++) {
      const messages = await this.#page(missed.channelId, after);
      if (messages.length === 0) return;
      const tooOld = messages.filter(({ id }) => timeOf(id) < oldestMs);
      // The gateway reports messages that are too old, but those before the cursor it has had already.
      const news = messages.filter(
        ({ id }, i) => i >= tooOld.length || cursor === undefined || isAfter(id, cursor),
      );
      for (const message of news) {
        await this.#parts.receive(missed.guildId ? { ...message, guild_id: missed.guildId } : message);
      }
      if (messages.length < PAGE) return;
      const last = messages.at(-1)!.id;
      const allTooOld = tooOld.length === messages.length;
      // Don't read years of history.
      if (allTooOld) this.#skipped(missed.channelId, last, oldestMs);
      after = allTooOld ? later(last, idAt(oldestMs)) : last;
    }
    settings.log("warn", "too many missed messages in a channel: the rest was skipped", {
      channelId: missed.channelId,
    });
  }

  /** A little before the cursor: events may arrive out of order, and the inbox drops duplicates. */
  #begin({ since, notBefore }: MissedRange, cursor: string | undefined): string {
    const overlapped = idAt(timeOf(since) - this.#parts.settings.timing.overlapMs);
    const begin = cursor !== undefined && !isAfter(cursor, overlapped) ? cursor : overlapped;
    return notBefore === undefined ? begin : later(begin, notBefore);
  }

  async #page(channelId: string, after: string): Promise<NativeMessage[]> {
    const { rest, persist } = this.#parts;
    const query = new URLSearchParams({ after, limit: String(PAGE) });
    return persist(async () => {
      try {
        const read = () => rest.get(`/channels/${channelId}/messages`, { query });
        return ((await this.#reads.add(read)) as NativeMessage[]).reverse();
      } catch (error) {
        if (!isRefusal(error)) throw error;
        this.#unreadable.set(channelId, true);
        return [];
      }
    });
  }

  #skipped(channelId: string, last: string, oldestMs: number): void {
    const [from, to] = [timeOf(last), oldestMs].map((ms) => new Date(ms).toISOString());
    this.#parts.settings.log("warn", "skipped missed messages that are too old to be answered", {
      channelId,
      from,
      to,
    });
  }
}

function later(a: string, b: string): string {
  return isAfter(a, b) ? a : b;
}
