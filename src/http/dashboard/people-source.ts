import { homePaths } from "../../config/paths.js";
import type { GatewayEvent } from "../../events.js";
import type { Person } from "../../message.js";
import { withMemories } from "../../people/list.js";
import { formatPerson } from "../../people/person.js";
import type { ListedPerson } from "../../people/types.js";
import { WEB } from "../../policies/web-person.js";
import type { Store } from "../../store/store.js";
import { PERSON, type PersonValue } from "../web/visitor.js";

const FRESH_MS = 3000;
/** A slow read is cached longer: for this many times its duration. */
const FRESH_FACTOR = 20;
/** If a read takes longer than this, pages get the old list while a new one is read. */
const SLOW_MS = 200;
const MAX_NEWCOMERS = 1000;

type People = ReadonlyMap<string, ListedPerson>;

export interface PeopleParts {
  store: Pick<Store, "listPeople" | "listRecords">;
  home: string;
}

/** A cached list of everyone with stored data, for all pages that show names. */
export class PeopleSource {
  readonly #parts: Omit<PeopleParts, "home">;
  readonly #memories: string;
  #read: Promise<People> | undefined;
  /** The people of the last read; undefined after a change. */
  #known: People | undefined;
  /** People who wrote for the first time since the last read. Only used if reads are slow. */
  readonly #newcomers = new Map<string, ListedPerson>();
  #tookMs = 0;
  #freshUntil = 0;

  constructor({ home, ...parts }: PeopleParts) {
    this.#parts = parts;
    this.#memories = homePaths(home).memoriesDir;
  }

  /** Most recently seen first. */
  async list(): Promise<ListedPerson[]> {
    const people = await this.#people();
    const newcomers = [...this.#newcomers.values()].filter(({ person }) => !people.has(person));
    return [...newcomers.toReversed(), ...people.values()];
  }

  async find(person: Person): Promise<ListedPerson | undefined> {
    const name = formatPerson(person);
    return (await this.#people()).get(name) ?? this.#newcomers.get(name);
  }

  /** A name in the web chat before the one that the store knows. */
  async nameOf(person: Person, known: string | null): Promise<string | null> {
    const { store } = this.#parts;
    if (person.platform === WEB) {
      const [record] = await store.listRecords({ platform: WEB, kind: PERSON, id: person.userId });
      const { name = null } = (record?.value ?? {}) as Partial<PersonValue>;
      if (name !== null) return name;
    }
    return known;
  }

  /** Drops the cache after a change. */
  invalidate(): void {
    this.#read = undefined;
    this.#known = undefined;
    this.#newcomers.clear();
  }

  /** Makes sure that someone who writes for the first time is listed at once. */
  onEvent(event: GatewayEvent): void {
    // Without a cache, the next read finds them.
    if (event.type !== "accepted" || !this.#read) return;
    const { platform, userId, userIdAlt, userName } = event.message.origin;
    const id = userId ?? userIdAlt;
    if (!id) return;
    const person = { platform, userId: id };
    const name = formatPerson(person);
    if (this.#known?.has(name)) return;
    // A slow read for every newcomer would never end, so they are added to the cached list.
    const names = userName ? [userName] : [];
    if (this.#tookMs < SLOW_MS || this.#newcomers.size >= MAX_NEWCOMERS) this.invalidate();
    else this.#newcomers.set(name, { ...neverWrote(person, event.at), names });
  }

  async #people(): Promise<People> {
    const isFresh = performance.now() < this.#freshUntil;
    const read = isFresh && this.#read ? this.#read : this.#start();
    return this.#known && this.#tookMs >= SLOW_MS ? this.#known : read;
  }

  #start(): Promise<People> {
    const began = performance.now();
    const before = [...this.#newcomers.keys()];
    const read = this.#load();
    this.#read = read;
    // Others share the pending read.
    this.#freshUntil = Number.POSITIVE_INFINITY;
    const keepFor = (freshMs: number) => {
      if (this.#read === read) this.#freshUntil = performance.now() + freshMs;
    };
    read.then(
      (people) => {
        this.#tookMs = performance.now() - began;
        for (const name of before) this.#newcomers.delete(name);
        if (this.#read === read) this.#known = people;
        keepFor(Math.max(FRESH_MS, this.#tookMs * FRESH_FACTOR));
      },
      () => keepFor(0),
    );
    return read;
  }

  async #load(): Promise<People> {
    const { store } = this.#parts;
    const known = await withMemories(await store.listPeople(), this.#memories);
    const people = new Map(known.map((one) => [one.person, one]));
    for (const { id, value, createdAt } of await store.listRecords({ platform: WEB, kind: PERSON })) {
      const person = formatPerson({ platform: WEB, userId: id });
      const { name } = value as PersonValue;
      const listed = people.get(person) ?? neverWrote({ platform: WEB, userId: id }, createdAt);
      const names = name === null || listed.names.includes(name) ? listed.names : [name, ...listed.names];
      people.set(person, { ...listed, names });
    }
    return people;
  }
}

function neverWrote(person: Person, at: number): ListedPerson {
  const noData = { names: [], sessions: 0, messages: 0, pairing: null, memory: false };
  return { person: formatPerson(person), ...person, ...noData, firstSeen: at, lastSeen: at };
}
