/** The last events of each person, for tabs that reconnect. Cursors are `boot-number`: of another boot, nothing is known. */
import { BoundedMap } from "../../bounded-map.js";
import type { WebEvent } from "./api.js";

const MAX_PEOPLE = 500;
const MAX_EVENTS = 500;
const MAX_CHARS = 1_000_000;

interface Logged {
  number: number;
  event: WebEvent;
  chars: number;
}

interface Entries {
  events: Logged[];
  chars: number;
  /** Everything after this number is there. */
  since: number;
}

export interface Missed {
  /** What happened meanwhile isn't known in full. */
  missed: boolean;
  events: { id: string; event: WebEvent }[];
}

export class EventLog {
  readonly #boot: string;
  readonly #people = new BoundedMap<string, Entries>(MAX_PEOPLE);
  #last = 0;

  constructor(boot: string) {
    this.#boot = boot;
  }

  /** Of the last event. */
  get cursor(): string {
    return this.#id(this.#last);
  }

  add(person: string, event: WebEvent): string {
    const entries = this.#people.get(person) ?? { events: [], chars: 0, since: this.#last };
    this.#last += 1;
    const chars = JSON.stringify(event).length;
    entries.events.push({ number: this.#last, event, chars });
    entries.chars += chars;
    while (entries.events.length > MAX_EVENTS || entries.chars > MAX_CHARS) {
      const { number, chars: dropped } = entries.events.shift()!;
      entries.since = number;
      entries.chars -= dropped;
    }
    this.#people.set(person, entries);
    return this.cursor;
  }

  /** Without a cursor nothing is missed: the tab reads first what it shows. */
  after(person: string, cursor: string | undefined): Missed {
    if (cursor === undefined) return { missed: false, events: [] };
    const [, boot, digits] = /^(\w{1,16})-(\d{1,15})$/.exec(cursor) ?? [];
    const entries = this.#people.get(person);
    const since = entries?.since ?? this.#last;
    const number = Number(digits);
    if (boot !== this.#boot || number < since || number > this.#last) return { missed: true, events: [] };
    const newer = (entries?.events ?? []).filter((one) => one.number > number);
    return { missed: false, events: newer.map(({ event, ...one }) => ({ id: this.#id(one.number), event })) };
  }

  /** What is kept of a person, oldest first. */
  of(person: string): WebEvent[] {
    return (this.#people.get(person)?.events ?? []).map(({ event }) => event);
  }

  #id(number: number): string {
    return `${this.#boot}-${number}`;
  }
}
