import fs from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { InboundMessage, Origin } from "../../src/message.js";
import { type OpenedStore, openStore } from "../../src/store/sqlite/index.js";

import { dump, PLATFORM, type Place, World, type WorldPerson } from "../support/people-world.js";
import { tempDir } from "../support/temp.js";

/** Whatever people said to each other: when one is erased, nothing of them is left and the others are as before. */

const PEOPLE: readonly WorldPerson[] = [
  { id: "id-of-ann-91", name: "Annabel 漢" },
  { id: "id-of-ben-92", name: "Benjamin" },
  { id: "id-of-cid-93", name: "Cidonia" },
];
const [ANN] = PEOPLE as [WorldPerson, ...WorldPerson[]];
/** Only in what Ann says: long enough to be told from anybody else's words. */
const HER_WORD = "zanthorrhoea秘密の住所";

const PLACES: readonly Place[] = [
  { kind: "dm", chat: "" },
  { kind: "dm", chat: "", account: "second" },
  { kind: "room", chat: "room-one" },
  { kind: "own-in-room", chat: "room-two" },
];

type Action =
  | { do: "say"; who: number; where: number; word: string; quotes: boolean }
  | { do: "wait"; who: number; where: number; word: string }
  | { do: "edit"; who: number; word: string }
  | { do: "compress"; who: number; where: number }
  | { do: "branch"; who: number; where: number }
  | { do: "pair"; who: number };

const who = fc.integer({ min: 0, max: 2 });
const where = fc.integer({ min: 0, max: 3 });
const word = fc.stringMatching(/^[a-z ]{1,20}$/);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("say" as const), who, where, word, quotes: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("wait" as const), who, where, word }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("edit" as const), who, word }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("compress" as const), who, where }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("branch" as const), who, where }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pair" as const), who }) },
);

class History {
  readonly #store: OpenedStore;
  readonly #world: World;
  #count = 0;
  readonly #last = new Map<number, NonNullable<InboundMessage["quoted"]>>();

  constructor(store: OpenedStore) {
    this.#store = store;
    this.#world = new World(store);
  }

  async run(one: Action): Promise<void> {
    const person = PEOPLE[one.who]!;
    if (one.do === "pair") return this.#pair(person);
    if (one.do === "edit") return this.#edit(person, this.#text(one.who, one.word));
    const place = PLACES[one.where]!;
    if (one.do === "compress") return this.#world.compress(person, place);
    if (one.do === "branch") return this.#world.branch(person, place);
    const text = this.#text(one.who, one.word);
    if (one.do === "wait") await this.#world.receive(person, place, text);
    else await this.#world.say(person, place, text, this.#quote(one));
    this.#last.set(one.where, { text, messageId: this.#world.lastMessageId });
  }

  /** Each says things that nobody else says. */
  #text(who: number, word: string): string {
    return `${who === 0 ? HER_WORD : `words of ${who}`} ${word} ${this.#count++}`;
  }

  /** In rooms, where all read what the others write. */
  #quote({ quotes, where }: Extract<Action, { do: "say" }>): Partial<InboundMessage> {
    const quoted = this.#last.get(where);
    return quotes && PLACES[where]!.kind !== "dm" && quoted !== undefined ? { quoted } : {};
  }

  /** The last message of a person in the room changes after it was answered: the next turn is told. */
  async #edit(person: WorldPerson, text: string): Promise<void> {
    for (let messageId = this.#count * 2; messageId > 0; messageId--) {
      const name = { platform: PLATFORM, account: "bot", chatId: "room-one", messageId: String(messageId) };
      const traces = await this.#store.reports.traceMessage(`room-one:${messageId}`);
      if (traces[0]?.inbox.message.origin.userId !== person.id) continue;
      await this.#store.changeMessage({ ...name, text });
      return;
    }
  }

  async #pair(person: WorldPerson): Promise<void> {
    const request = {
      id: `pair-${this.#count++}`,
      platform: PLATFORM,
      userId: person.id,
      userName: person.name,
    };
    await this.#store.addPairing({ ...request, hash: "h", salt: "s", createdAt: Date.now() / 1000 });
  }
}

type Dump = ReturnType<typeof dump>;

/** What stands there of others: row by row, without the places that repeat Ann. */
function ofOthers(all: Dump, gone: ReadonlySet<unknown>): object {
  const isHers = (row: object) => /id-of-ann-91/.test(JSON.stringify(row));
  const others = (table: string) => all[table]!.filter((row) => !isHers(row));
  const theirs = new Set(
    all.sessions!.filter((row) => /ben|cid/.test(String(row.user_id))).map(({ id }) => id),
  );
  /** A room stays, whoever opened it. */
  const settled = (row: Record<string, unknown>) => {
    const { platform, chatType, chatId, ...person } = JSON.parse(String(row.origin)) as Origin;
    const origin = { platform, chatType, chatId, ...(person.userId === ANN.id ? {} : person) };
    return { ...row, epoch: null, origin };
  };
  return {
    sessions: all.sessions!.filter((row) => !gone.has(row.id)).map((row) => ({ ...row, user_id: null })),
    order: all
      .messages!.filter((row) => !gone.has(row.session_id))
      .map(({ id, role, timestamp }) => ({ id, role, timestamp })),
    said: all
      .messages!.filter((row) => !gone.has(row.session_id) && isOthers(row))
      .map(({ id, content }) => ({ id, content })),
    alone: all.messages!.filter((row) => theirs.has(row.session_id) && !repeatsHer(row)),
    sends: others("gw_outbox").filter(({ text }) => isOthers({ content: text })),
    participants: others("gw_participants"),
    authors: others("gw_authors"),
    pairing: others("gw_pairing"),
    inbox: others("gw_inbox")
      .filter((row) => String(row.payload).includes("id-of-"))
      .map((row) => ({ ...row, payload: withoutHerQuote(String(row.payload)) })),
    routes: all.gw_routes!.filter((row) => !String(row.session_key).includes(ANN.id)).map(settled),
  };
}

/** Or did, until it was redacted. */
function repeatsHer(row: object): boolean {
  return /zanthorrhoea|\[erased\]/.test(JSON.stringify(row));
}

function withoutHerQuote(payload: string): object {
  const message = JSON.parse(payload) as InboundMessage;
  const isHers = message.quoted?.text.includes(HER_WORD);
  return isHers ? { ...message, quoted: { text: "[erased]", messageId: null } } : message;
}

/** A message of theirs, or an answer to them, that repeats nothing of hers. */
function isOthers({ content }: Record<string, unknown>): boolean {
  return /^(?:You said: )?\[(?:Benjamin|Cidonia)\] words/.test(String(content));
}

describe("erasing a person in random histories", () => {
  it("removes all their data and keeps everyone else's", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 16 }), async (actions) => {
        const file = `${tempDir()}/state.db`;
        let store = await openStore({ path: file, threads: false });
        const history = new History(store);
        for (const one of actions) await history.run(one);
        const before = dump(file);
        const plan = await store.planErasure({ platform: PLATFORM, userId: ANN.id });
        await store.erasePerson(plan, "data");
        await store.erasePerson(plan, "marks");
        const gone = new Set<unknown>(plan.own.map(({ id }) => id));
        expect(ofOthers(dump(file), gone)).toEqual(ofOthers(before, gone));
        expect(
          plan.own.every(
            ({ id }) =>
              !JSON.stringify(before.gw_participants!.filter((row) => row.session_id === id)).match(
                /ben|cid/,
              ),
          ),
        ).toBe(true);
        expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
        await store.maintenance.scrub();
        await store.close();
        const bytes = fs.readFileSync(file);
        for (const trace of ["zanthorrhoea", "秘密の住所", "id-of-ann-91", "Annabel"])
          expect({ trace, at: bytes.indexOf(trace) }).toEqual({ trace, at: -1 });
        store = await openStore({ path: file, threads: false });
        expect((await store.listPeople()).map(({ userId }) => userId)).not.toContain(ANN.id);
        await store.close();
      }),
      { numRuns: 12, endOnFailure: true },
    );
  }, 240_000);
});
