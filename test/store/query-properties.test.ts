import Database, { type Database as Connection } from "better-sqlite3";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HermesError } from "../../src/errors.js";
import { sanitizeFtsQuery } from "../../src/store/shared/query.js";
import type { SearchOptions } from "../../src/store/store.js";
import { tempStore } from "../support/temp.js";

/** What people type, and what they shouldn't: operators, quotes, stars, NULs, all scripts, half a surrogate. */
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("AND", "OR", "NOT", "and", "not", "NEAR", "NEAR(a b)", "NEAR/2") },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '"',
      '""',
      "'",
      "*",
      "**",
      "a*",
      '"a b"*',
      "^",
      "^a",
      "+",
      "-",
      "-a",
      "a-b",
      "a.b",
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "(",
      ")",
      "{",
      "}",
      ":",
      "content:",
      "a:b",
      ",",
      ";",
      "%",
      "_",
      "\\",
      "/",
      "@",
      "#",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "\0",
      "\0Q0\0",
      "\0Q9\0",
      "\u2028",
      "\u00a0",
      "\u3000",
      "\n",
      "\t",
      "\ud800",
      "\udc00",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "漓",
      "漓江",
      "桂林山水",
      "한국",
      "テスト",
      "𠀀",
      "🎉",
      "👨‍👩‍👧",
      "e\u0301",
      "ß",
      "ﬁ",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("docker", "C++", "it's", "user@example.com", "100%", "_x_", "1.2.3", "a..b"),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
);
const query = fc
  .array(fc.tuple(piece, fc.constantFrom("", " ", "  ")), { maxLength: 14 })
  .map((pieces) => pieces.map(([text, gap]) => text + gap).join(""));

describe("a cleaned query", () => {
  let db: Connection;
  beforeAll(() => {
    db = new Database(":memory:");
    db.exec("CREATE VIRTUAL TABLE words USING fts5(content)");
    db.exec("CREATE VIRTUAL TABLE trigrams USING fts5(content, tokenize='trigram')");
    for (const table of ["words", "trigrams"]) {
      db.prepare(`INSERT INTO ${table} (content) VALUES (?)`).run(
        "docker a b 桂林山水甲天下 it's user@example.com",
      );
    }
  });
  afterAll(() => {
    db.close();
  });

  /** Undefined where it was refused, which only a HermesError may do. */
  function clean(raw: string): string | undefined {
    try {
      return sanitizeFtsQuery(raw);
    } catch (error) {
      expect(error).toBeInstanceOf(HermesError);
      expect(error).toMatchObject({ code: "invalid", hint: expect.any(String) });
      return undefined;
    }
  }

  it.each(["words", "trigrams"])("is never a syntax error to FTS5, for %s", (table) => {
    const match = db.prepare(`SELECT rowid FROM ${table} WHERE ${table} MATCH ?`);
    fc.assert(
      fc.property(query, (raw) => {
        const cleaned = clean(raw);
        // FTS5 takes an empty query for nothing; the search never asks it.
        if (cleaned !== undefined && cleaned !== "") expect(() => match.all(cleaned), cleaned).not.toThrow();
      }),
      { numRuns: 3000 },
    );
  });

  it("doesn't change when cleaned again", () => {
    fc.assert(
      fc.property(query, (raw) => {
        const once = clean(raw);
        if (once === undefined) return;
        const twice = clean(once);
        if (twice === undefined) return;
        const match = db.prepare("SELECT rowid FROM words WHERE words MATCH ?");
        if (once !== "" && twice !== "") expect(() => match.all(twice), twice).not.toThrow();
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a search", () => {
  it("returns hits or a reason for any query", async () => {
    const { store } = await tempStore();
    await store.createSession({ id: "s", source: "cli" });
    await store.appendMessages("s", [
      { role: "user", content: "docker a b 桂林山水甲天下 it's user@example.com 漓江 🎉" },
      { role: "user", content: [{ type: "text", text: "漓江 C++ 100%" }] },
    ]);
    const options: fc.Arbitrary<SearchOptions> = fc.record(
      {
        sort: fc.constantFrom("rank", "newest", "oldest"),
        substring: fc.boolean(),
        sources: fc.constantFrom([], ["cli"], ["x", "y"]),
        limit: fc.constantFrom(0, 1, 20),
        asker: fc.constantFrom({ platform: "cli", userId: "u" }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(query, options), { minLength: 20, maxLength: 20 }),
        async (asked) => {
          const all = await Promise.allSettled(asked.map(([text, how]) => store.searchMessages(text, how)));
          all.forEach((one, i) => {
            const shown = JSON.stringify(asked[i]);
            if (one.status === "fulfilled") expect(one.value.plan.query, shown).toBe(asked[i]![0]);
            else
              expect(one.reason, shown).toMatchObject({
                name: "HermesError",
                code: "invalid",
                hint: expect.any(String),
              });
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  it("accepts terms up to the limit and rejects more", async () => {
    const { store } = await tempStore();
    await store.createSession({ id: "s", source: "cli" });
    await store.appendMessages("s", [{ role: "user", content: "docker 桂林山水" }]);
    for (const [word, operator] of [
      ["docker", " "],
      ["docker", " OR "],
      ["docker", " NOT "],
      ["桂林山水", " AND "],
      ["桂林", " OR "],
    ] as const) {
      for (const count of [10, 30, 62]) {
        const terms = Array.from({ length: count }, (_, i) => (i % 7 === 6 ? "docker" : word));
        await expect(store.searchMessages(terms.join(operator)).catch((error) => error)).resolves.toSatisfy(
          (answer: { hits?: unknown; code?: string }) =>
            answer.hits !== undefined || answer.code === "invalid",
        );
      }
      const tooMany = Array(500).fill(word).join(operator);
      await expect(store.searchMessages(tooMany)).rejects.toMatchObject({ code: "invalid" });
    }
  });
});
