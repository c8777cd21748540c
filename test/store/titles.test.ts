import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSchema } from "../../src/store/sqlite/schema.js";
import { resolveTitle } from "../../src/store/sqlite/titles.js";
import { lineageBase, nextTitleThatFits, sanitizeTitle, TITLE_MAX_CHARS } from "../../src/title.js";
import { cpuTime } from "../support/cpu-time.js";
import { tempStore } from "../support/temp.js";
import { vectors } from "../support/vectors.js";

type Vector =
  | { kind: "sanitize"; input: string; output?: string | null; error?: string }
  | {
      kind: "set_title";
      session: string;
      title: string;
      result?: boolean;
      error?: string;
      titles_after: Record<string, string | null>;
    }
  | { kind: "next_title"; existing_in_start_order: string[]; input: string; output: string }
  | {
      kind: "resolve_title";
      existing_in_start_order: string[];
      input: string;
      output_session: string | null;
    };

const all = vectors<Vector[]>("title-vectors");
const of = <K extends Vector["kind"]>(kind: K) =>
  all.filter((v) => v.kind === kind) as Extract<Vector, { kind: K }>[];

async function storeWithTitles(titles: readonly string[]) {
  const { store } = await tempStore();
  for (const [i, title] of titles.entries()) {
    await store.createSession({ id: `S${i}`, source: "cli", started_at: 1000 + i, title });
  }
  return store;
}

describe("sanitising a title", () => {
  it.each(of("sanitize"))("$input", ({ input, output, error }) => {
    if (error) expect(() => sanitizeTitle(input)).toThrow(error.replace("ValueError: ", ""));
    else expect(sanitizeTitle(input)).toBe(output);
  });

  it("is idempotent, fits, and has no double blanks", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (raw) => {
        const title = sanitizeTitle(raw);
        if (title === null) return;
        expect(sanitizeTitle(title)).toBe(title);
        expect(Array.from(title).length).toBeLessThanOrEqual(TITLE_MAX_CHARS);
        expect(title).not.toMatch(/ {2}|^ | $|[\u0000-\u001f\u200b-\u200f\u202a-\u202e]/u);
      }),
    );
  });
});

describe("setting a title", () => {
  it("follows the vectors, one after another", async () => {
    const { store } = await tempStore();
    for (const id of ["A", "B"]) await store.createSession({ id, source: "cli" });
    for (const { session, title, result, error, titles_after } of of("set_title")) {
      const attempt = store.setTitle(session, title);
      if (error) await expect(attempt).rejects.toThrow(error.replace("ValueError: ", ""));
      else expect(await attempt).toBe(result);
      const titles = { A: (await store.getSession("A"))?.title, B: (await store.getSession("B"))?.title };
      expect(titles).toEqual(titles_after);
    }
  });
});

describe("titles of a lineage", () => {
  it.each(of("next_title"))("next after $input in $existing_in_start_order", async (vector) => {
    const store = await storeWithTitles(vector.existing_in_start_order);
    expect(await store.nextTitle(vector.input)).toBe(vector.output);
  });

  it.each(of("resolve_title"))("$input in $existing_in_start_order", async (vector) => {
    const store = await storeWithTitles(vector.existing_in_start_order);
    expect((await store.getSession({ title: vector.input }))?.id ?? null).toBe(vector.output_session);
  });

  it("always have a free next one that fits", () => {
    const title = fc.string({ minLength: 1, maxLength: 100 }).map(sanitizeTitle);
    fc.assert(
      fc.property(fc.array(title), title, (others, mine) => {
        if (mine === null) return;
        const base = lineageBase(mine);
        const family = [mine, ...others]
          .filter((t) => t !== null)
          .filter((t) => t === base || t.startsWith(`${base} #`));
        const next = nextTitleThatFits(base, family);
        expect(Array.from(next).length).toBeLessThanOrEqual(TITLE_MAX_CHARS);
        expect(family).not.toContain(next);
      }),
    );
  });
});

describe("resolving a title", () => {
  it("finds the latest session of the lineage that the asker may see", async () => {
    const { store } = await tempStore();
    const add = (id: string, user_id: string, title: string, started_at: number) =>
      store.createSession({ id, source: "telegram", user_id, title, started_at });
    await add("ann", "ann", "trip", 1);
    await add("ann-2", "ann", "Trip #2", 4);
    await add("ann-3", "ann", "trip #3", 3);
    await add("bob-4", "bob", "trip #4", 9);
    await add("carl", "carl", "trips #5", 10);
    const resolve = async (userId?: string) => {
      const asker = userId === undefined ? undefined : { platform: "telegram", userId };
      return (await store.getSession({ title: "trip" }, asker))?.id;
    };
    expect(await resolve()).toBe("bob-4");
    expect(await resolve("ann")).toBe("ann-2");
    expect(await resolve("bob")).toBe("bob-4");
    expect(await resolve("carl")).toBeUndefined();
    expect((await store.getSession({ title: "trip #3" }))?.id).toBe("ann-3");
  });

  it("falls back to the exact title if no numbered one is visible", async () => {
    const { store } = await tempStore();
    await store.createSession({ id: "ann", source: "telegram", user_id: "ann", title: "trip" });
    await store.createSession({ id: "bob", source: "telegram", user_id: "bob", title: "trip #2" });
    const asker = { platform: "telegram", userId: "ann" };
    expect((await store.getSession({ title: "trip" }, asker))?.id).toBe("ann");
  });

  it("reads a single row, even with many numbered titles", () => {
    const db = new Database(":memory:");
    createSchema(db);
    const insert = db.prepare(
      "INSERT INTO sessions (id, source, started_at, title, system_prompt) VALUES (?, 'cli', ?, ?, ?)",
    );
    const add = db.transaction((title: string, prompt: string) => {
      for (let i = 2; i < 300; i += 1) insert.run(`${title}${i}`, i, `${title} #${i}`, prompt);
    });
    add("short", "-");
    add("long", "-".repeat(30_000));
    const cost = (title: string) => cpuTime(() => resolveTitle(db, title));
    cost("short");
    expect(resolveTitle(db, "long")?.title).toBe("long #299");
    expect(cost("long") / cost("short")).toBeLessThan(2.5);
    db.close();
  });

  it("replaces the index of an earlier version", async () => {
    const { store, file } = await tempStore();
    await store.close();
    const db = new Database(file);
    db.exec(`DROP INDEX gw_sessions_lineage;
      CREATE INDEX gw_sessions_title ON sessions(title COLLATE NOCASE) WHERE title IS NOT NULL`);
    await tempStore(file);
    const indexes = db
      .prepare("SELECT name FROM sqlite_master WHERE name LIKE 'gw_sessions_%'")
      .pluck()
      .all();
    expect(indexes).toContain("gw_sessions_lineage");
    expect(indexes).not.toContain("gw_sessions_title");
    db.close();
  });
});
