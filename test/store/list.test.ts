import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ListQuery } from "../../src/store/store.js";
import { tempStore } from "../support/temp.js";

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

describe("the list by last activity", () => {
  it("includes a column that another process has just added", async () => {
    const { store, file } = await tempStore();
    for (const id of ["a", "b"]) {
      await store.createSession({ id, source: "cli" });
      await store.appendMessages(id, [{ role: "user", content: "hello" }]);
    }
    await store.listSessions({ order: "active" });
    const other = new Database(file);
    other.exec("ALTER TABLE sessions ADD COLUMN mood TEXT DEFAULT 'calm'");
    other.close();
    expect(await store.listSessions({ order: "active" })).toMatchObject([{ mood: "calm" }, { mood: "calm" }]);
    expect(await store.getSession("a")).toMatchObject({ id: "a", source: "cli", mood: "calm" });
  });

  it("matches a scan of all sessions, for random histories", async () => {
    const session = fc.record({
      started_at: fc.integer({ min: 1, max: 40 }),
      source: fc.constantFrom("cli", "telegram"),
      archived: fc.boolean(),
      /** Another session that it continues, if that has been made. */
      continues: fc.option(fc.nat({ max: 7 }), { nil: undefined }),
      times: fc.array(fc.integer({ min: 1, max: 80 }), { maxLength: 4 }),
    });
    const query: fc.Arbitrary<ListQuery> = fc.record(
      {
        source: fc.constantFrom("cli", "telegram"),
        excludeSources: fc.constantFrom(["cli"], ["telegram"], []),
        includeArchived: fc.boolean(),
        limit: fc.integer({ min: 1, max: 4 }),
        offset: fc.nat({ max: 3 }),
      },
      { requiredKeys: [] },
    );
    const { store, file } = await tempStore();
    const other = new Database(file);
    const archive = other.prepare("UPDATE sessions SET archived = ? WHERE id = ?");
    const end = other.prepare("UPDATE sessions SET ended_at = ?, end_reason = 'compression' WHERE id = ?");
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(session, { maxLength: 8 }), query, async (sessions, asked) => {
        run += 1;
        for (const [i, { started_at, source, archived, continues, times }] of sessions.entries()) {
          const id = `${run}_${i}`;
          const parent = continues !== undefined && continues < i ? `${run}_${continues}` : null;
          await store.createSession({ id, source, started_at, parent_session_id: parent });
          archive.run(archived ? 1 : 0, id);
          if (parent) end.run(started_at, parent);
          await store.appendMessages(
            id,
            times.map((timestamp) => ({ role: "user", content: `said at ${timestamp}`, timestamp })),
          );
        }
        // The order by start looks at each session by itself: the same conversations, in another order.
        const all = { ...asked, limit: 1_000_000, offset: 0 };
        const byStart = await store.listSessions(all);
        const listed = await store.listSessions({ ...all, order: "active" });
        expect(listed.toSorted(byId)).toEqual(byStart.toSorted(byId));
        // A lineage stands where any of its sessions was last active, in a made-up history not always its tip.
        const times = listed.filter((one) => !one.lineage_root_id).map((one) => one.last_active);
        expect(times).toEqual(times.toSorted((a, b) => b - a));
        const { offset = 0, limit = 20 } = asked;
        expect(await store.listSessions({ ...asked, order: "active" })).toEqual(
          listed.slice(offset, offset + limit),
        );
      }),
      { numRuns: 60 },
    );
    other.close();
  });
});
