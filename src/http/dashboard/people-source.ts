import { homePaths } from "../../config/paths.js";
import type { GatewayEvent } from "../../events.js";
import type { Person } from "../../message.js";
import { withMemories } from "../../people/list.js";
import { formatPerson } from "../../people/person.js";
import type { ListedPerson } from "../../people/types.js";
import type { Store } from "../../store/store.js";
import { WEB } from "../../web-person.js";
import { PERSON, type PersonValue } from "../web/visitor.js";

const FRESH_MS = 3000;
/** Of the time that reading took: a long history isn't read over and over. */
const SHARE = 20;

/** Everyone with stored data, for every page that shows names. */
export class PeopleSource {
  readonly #store: Pick<Store, "listPeople" | "listRecords">;
  readonly #memories: string;
  #read: Promise<ReadonlyMap<string, ListedPerson>> | undefined;
  /** The people of the last read. */
  #known: ReadonlyMap<string, ListedPerson> | undefined;
  #freshUntil = 0;

  constructor({ store, home }: { store: Pick<Store, "listPeople" | "listRecords">; home: string }) {
    this.#store = store;
    this.#memories = homePaths(home).memoriesDir;
  }

  /** The most recently seen first. */
  async list(): Promise<ListedPerson[]> {
    return [...(await this.#people()).values()];
  }

  async find(person: Person): Promise<ListedPerson | undefined> {
    return (await this.#people()).get(formatPerson(person));
  }

  async nameOf(person: Person): Promise<string | null> {
    return (await this.find(person))?.names[0] ?? null;
  }

  /** They have changed. */
  forget(): void {
    this.#read = undefined;
    this.#known = undefined;
  }

  /** Someone who writes for the first time is listed at once. */
  notice(event: GatewayEvent): void {
    if (event.type !== "accepted") return;
    const { platform, userId, userIdAlt } = event.message.origin;
    const id = userId ?? userIdAlt;
    if (id && !this.#known?.has(formatPerson({ platform, userId: id }))) this.forget();
  }

  #people(): Promise<ReadonlyMap<string, ListedPerson>> {
    if (this.#read && performance.now() < this.#freshUntil) return this.#read;
    const began = performance.now();
    const read = this.#load();
    this.#read = read;
    // While it is being read, others wait for the same answer.
    this.#freshUntil = Number.POSITIVE_INFINITY;
    const ended = (freshMs: number) => {
      if (this.#read === read) this.#freshUntil = performance.now() + freshMs;
    };
    read.then(
      (people) => {
        if (this.#read === read) this.#known = people;
        ended(Math.max(FRESH_MS, (performance.now() - began) * SHARE));
      },
      () => ended(0),
    );
    return read;
  }

  async #load(): Promise<ReadonlyMap<string, ListedPerson>> {
    const known = await withMemories(await this.#store.listPeople(), this.#memories);
    const people = new Map(known.map((one) => [one.person, one]));
    for (const { id, value, createdAt } of await this.#store.listRecords({ platform: WEB, kind: PERSON })) {
      const person = formatPerson({ platform: WEB, userId: id });
      const { name } = value as PersonValue;
      const found = people.get(person) ?? neverWrote({ platform: WEB, userId: id }, createdAt);
      const names = name === null || found.names.includes(name) ? found.names : [name, ...found.names];
      people.set(person, { ...found, names });
    }
    return people;
  }
}

function neverWrote(person: Person, at: number): ListedPerson {
  const nothing = { names: [], sessions: 0, messages: 0, pairing: null, memory: false };
  return { person: formatPerson(person), ...person, ...nothing, firstSeen: at, lastSeen: at };
}
