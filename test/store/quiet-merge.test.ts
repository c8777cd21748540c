import Database from "better-sqlite3";
import { expect, it } from "vitest";
import type { OpenedStore } from "../../src/store/sqlite/index.js";
import { tempStore } from "../support/temp.js";
import { until } from "../support/until.js";

const MESSAGES = 150;

async function appendOneByOne(store: OpenedStore): Promise<void> {
  await store.createSession({ id: "s", source: "cli" });
  for (let i = 0; i < MESSAGES; i += 1)
    await store.appendMessages("s", [{ role: "user", content: `common word${i} 数据库` }]);
}

/** FTS5 numbers its pages by segment. */
function segments(file: string, table: string): number {
  const db = new Database(file, { readonly: true });
  try {
    return db
      .prepare(`SELECT count(DISTINCT id >> 37) FROM ${table}_data WHERE id > 10`)
      .pluck()
      .get() as number;
  } finally {
    db.close();
  }
}

const isMerged = (file: string) =>
  segments(file, "messages_fts") <= 4 && segments(file, "messages_fts_trigram") <= 4;

it("merges small segments when the writer is idle", async () => {
  const { store, file } = await tempStore();
  await appendOneByOne(store);
  await until("few segments", () => isMerged(file));
  const { hits } = await store.searchMessages("common", { limit: 2 * MESSAGES });
  expect(hits).toHaveLength(MESSAGES);
  expect((await store.searchMessages("数据库", { limit: 2 * MESSAGES })).hits).toHaveLength(MESSAGES);
  expect(await store.maintenance.check()).toMatchObject({ ok: true });
});

it("merges segments that an earlier process left", async () => {
  const { store, file } = await tempStore();
  await store.createSession({ id: "s", source: "cli" });
  await store.close();
  const other = new Database(file);
  const add = other.prepare(
    "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', ?, ?)",
  );
  for (let i = 0; i < MESSAGES; i += 1) add.run(`common word${i} 数据库`, i);
  other.close();
  expect(isMerged(file)).toBe(false);
  await tempStore(file);
  await until("few segments", () => isMerged(file));
});
