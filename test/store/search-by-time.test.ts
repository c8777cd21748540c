import Database, { type Database as Connection } from "better-sqlite3";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { createSchema } from "../../src/store/sqlite/schema.js";
import { searchMessages } from "../../src/store/sqlite/search.js";
import type { SearchOptions } from "../../src/store/store.js";
import { cpuTime } from "../support/cpu-time.js";

interface Message {
  id: number;
  session: number;
  role: string;
  timestamp: number;
  active: number;
  words: string[];
}

const SESSIONS = 30;
const open: Connection[] = [];
afterAll(() => {
  for (const db of open) db.close();
});

function databaseOf(messages: readonly Message[]): Connection {
  const db = new Database(":memory:");
  open.push(db);
  createSchema(db);
  const session = db.prepare("INSERT INTO sessions (id, source, user_id, started_at) VALUES (?, ?, ?, 1)");
  const message = db.prepare(
    "INSERT INTO messages (id, session_id, role, content, timestamp, active) VALUES (?, ?, ?, ?, ?, ?)",
  );
  db.transaction(() => {
    for (let s = 0; s < SESSIONS; s += 1) session.run(`s${s}`, s % 3 ? "telegram" : "cli", `u${s % 10}`);
    for (const m of messages)
      message.run(m.id, `s${m.session}`, m.role, m.words.join(" "), m.timestamp, m.active);
  })();
  return db;
}

/** A word for every frequency: `every7` is in one of seven messages. `old` and `new` are in one half of the file only. */
const EVERY = [1, 2, 3, 7, 40, 400];

function makeMessages(count: number, timeOf: (i: number) => number): Message[] {
  return Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    session: (i * 7) % SESSIONS,
    role: i % 4 === 0 ? "user" : "assistant",
    timestamp: timeOf(i),
    active: i % 11 === 0 ? 0 : 1,
    words: [
      ...EVERY.filter((n) => (i * 7919) % n === 0).map((n) => `every${n}`),
      i < count / 2 ? "old" : "new",
      "text",
    ],
  }));
}

const COUNT = 4000;
const scatter = (i: number) => (i * 2654435761) % 4294967296;

/** When a message was sent, by the place at which it was written. */
const TIMES: Record<string, (i: number) => number> = {
  "in order": (i) => i,
  "in order, with a few that came late": (i) => (i % 97 === 0 ? i - 1500 : i),
  "in order, with a few of the future": (i) => (i % 301 === 0 ? i + 3000 : i),
  "in order, after an import of an older file": (i) => (i < 3000 ? i + 1000 : i - 3000),
  "session by session": (i) => (i % 100) * 50 + Math.floor(i / 100),
  backwards: (i) => -i,
  shuffled: scatter,
  "shuffled, many at the same moment": (i) => scatter(i) % 50,
  "all at the same moment": () => 5,
};

/** Everything that matches, sorted, and then the page. */
function bruteForce(messages: readonly Message[], word: string, options: SearchOptions): number[] {
  const { roles, sources, since = -Infinity, until = Infinity, asker, limit = 20, offset = 0 } = options;
  const sourceOf = ({ session }: Message) => (session % 3 ? "telegram" : "cli");
  const found = messages.filter(
    (m) =>
      m.active === 1 &&
      m.words.includes(word) &&
      (!roles || roles.includes(m.role)) &&
      (!sources || sources.includes(sourceOf(m))) &&
      m.timestamp >= since &&
      m.timestamp < until &&
      (!asker || (`u${m.session % 10}` === asker.userId && sourceOf(m) === asker.platform)),
  );
  const sign = options.sort === "oldest" ? 1 : -1;
  found.sort((a, b) => sign * (a.timestamp - b.timestamp || a.id - b.id));
  return found.slice(offset, limit < 0 ? undefined : offset + limit).map(({ id }) => id);
}

const filters = (times: readonly number[]) =>
  fc.record(
    {
      roles: fc.constant(["user"]),
      sources: fc.constant(["cli"]),
      since: fc.constantFrom(...times),
      until: fc.constantFrom(...times),
      asker: fc.constantFrom(
        { platform: "telegram", userId: "u7" },
        { platform: "telegram", userId: "nobody" },
      ),
    },
    { requiredKeys: [] },
  );

const options = (times: readonly number[]): fc.Arbitrary<SearchOptions> =>
  fc
    .tuple(
      fc.record({
        sort: fc.constantFrom("newest" as const, "oldest" as const),
        limit: fc.constantFrom(20, 20, 5, 1, 0, 300, -1),
        offset: fc.constantFrom(0, 0, 3, 700),
      }),
      fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, filters(times)),
    )
    .map(([page, filter]) => ({ ...page, ...filter }) as SearchOptions);

describe.each(Object.entries(TIMES))("search by time in a file written %s", (_, timeOf) => {
  const messages = makeMessages(COUNT, timeOf);
  const db = databaseOf(messages);
  const words = [...EVERY.map((n) => `every${n}`), "old", "new", "absent"];

  it("matches a sort of all results", () => {
    const times = [10, 2000, COUNT - 10].map((i) => messages[i]!.timestamp);
    fc.assert(
      fc.property(fc.constantFrom(...words), options(times), (word, asked) => {
        const found = searchMessages(db, word, asked).hits.map(({ id }) => id);
        expect(found).toEqual(bruteForce(messages, word, asked));
      }),
      { numRuns: 80 },
    );
  });
});

describe("a search for a common word", () => {
  it.each([
    ["in order", (i: number) => i],
    ["shuffled", scatter],
  ])("costs the same in a file ten times as large, written %s", (_, timeOf) => {
    const [small, large] = [4000, 40_000].map((count) => databaseOf(makeMessages(count, timeOf)));
    const cost = (db: Connection) => cpuTime(() => searchMessages(db, "text", { sort: "newest" }));
    expect(cost(large!) / cost(small!)).toBeLessThan(2.5);
  });
});
