/** What was said while we were away: a channel's history after its cursor, oldest first. */
import type { REST } from "discord.js";
import PQueue from "p-queue";
import type { AdapterEvents } from "../adapter.js";
import type { Settings } from "./config.js";
import { isRefusal } from "./faults.js";
import { cursorNames, idAt, isAfter, timeOf } from "./ids.js";
import type { NativeMessage } from "./normalise.js";

const PAGE = 100;
const MOST_PAGES = 20;
/** A thousand chats at once would leave no room for an answer. */
const READS_AT_ONCE = 8;

export interface CatchUpParts {
  rest: REST;
  settings: Settings;
  events: Pick<AdapterEvents, "cursor" | "saveCursor">;
  /** Until it works or the adapter stops. */
  persist<T>(work: () => Promise<T>): Promise<T>;
  /** As if the gateway had told it. */
  receive(message: NativeMessage): Promise<void>;
}

export interface Missed {
  channelId: string;
  guildId: string | null;
  /** Where to begin without a cursor. */
  since: string;
  /** Nothing before this: the bot wasn't there. */
  notBefore?: string;
}

export class CatchUp {
  readonly #parts: CatchUpParts;
  /** Channels that the bot may not read: asking again counts against it. */
  readonly #closedToUs = new Set<string>();
  readonly #reads = new PQueue({ concurrency: READS_AT_ONCE });

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
  }

  async run(missed: Missed): Promise<void> {
    if (this.#closedToUs.has(missed.channelId)) return;
    const { events, persist, settings } = this.#parts;
    const cursor = await persist(() => events.cursor(cursorNames.channel(missed.channelId)));
    let after = this.#begin(missed, cursor);
    const oldestMs = Date.now() - settings.catchUpMaxAgeSeconds * 1000;
    for (let page = 0; page < MOST_PAGES; page++) {
      const messages = await this.#page(missed.channelId, after);
      if (messages.length === 0) return;
      const tooOld = messages.filter(({ id }) => timeOf(id) < oldestMs);
      // The gateway tells of those that are too old. What the cursor has passed, it knows.
      const news = messages.filter(
        ({ id }, i) => i >= tooOld.length || cursor === undefined || isAfter(id, cursor),
      );
      for (const message of news) {
        await this.#parts.receive(missed.guildId ? { ...message, guild_id: missed.guildId } : message);
      }
      if (messages.length < PAGE) return;
      const last = messages.at(-1)!.id;
      const allTooOld = tooOld.length === messages.length;
      // Don't read years of them.
      if (allTooOld) this.#skipped(missed.channelId, last, oldestMs);
      after = allTooOld ? later(last, idAt(oldestMs)) : last;
    }
    settings.log("warn", "too much was said to catch up with", { channelId: missed.channelId });
  }

  /** A little before the cursor: events may have overtaken one another, and the inbox knows what it has. */
  #begin({ since, notBefore }: Missed, cursor: string | undefined): string {
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
        this.#closedToUs.add(channelId);
        return [];
      }
    });
  }

  #skipped(channelId: string, last: string, oldestMs: number): void {
    const [from, to] = [timeOf(last), oldestMs].map((ms) => new Date(ms).toISOString());
    this.#parts.settings.log("warn", "not read: what was said too long ago to be answered", {
      channelId,
      from,
      to,
    });
  }
}

function later(a: string, b: string): string {
  return isAfter(a, b) ? a : b;
}
