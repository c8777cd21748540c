import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { getConversation } from "../../src/store/sqlite/messages.js";
import { createSchema } from "../../src/store/sqlite/schema.js";
import { cpuTime } from "../support/cpu-time.js";
import { tempStore } from "../support/temp.js";

async function storeWithSession() {
  const opened = await tempStore();
  await opened.store.createSession({ id: "s", source: "cli" });
  return opened;
}

describe("messages", () => {
  it("are counted with their tool calls, one transaction per call", async () => {
    const { store } = await storeWithSession();
    const ids = await store.appendMessages("s", [
      { role: "user", content: "hi" },
      { role: "assistant", tool_calls: [{ id: "1" }, { id: "2" }] },
    ]);
    expect(ids).toHaveLength(2);
    expect(await store.getSession("s")).toMatchObject({ message_count: 2, tool_call_count: 2 });
  });

  it("of an unknown session are rejected without affecting others in the same commit", async () => {
    const { store } = await storeWithSession();
    const writes = await Promise.allSettled([
      store.appendMessages("s", [{ role: "user", content: "one" }]),
      store.appendMessages("nobody", [{ role: "user", content: "lost" }]),
      store.appendMessages("s", [{ role: "user", content: "two" }]),
    ]);
    expect(writes.map((w) => w.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((writes[1] as PromiseRejectedResult).reason).toMatchObject({ code: "not_found" });
    expect((await store.getMessages("s")).map((m) => m.content)).toEqual(["one", "two"]);
  });

  it("share commits when they arrive together", async () => {
    const { store } = await storeWithSession();
    const ids = await Promise.all(
      Array.from({ length: 500 }, (_, i) => store.appendMessages("s", [{ role: "user", content: `m${i}` }])),
    );
    expect(ids.flat()).toEqual(ids.flat().toSorted((a, b) => a - b));
    expect((await store.getSession("s"))?.message_count).toBe(500);
  });

  it("keep their order and their ids, however many there are", async () => {
    const { store } = await storeWithSession();
    const texts = Array.from({ length: 50 }, (_, i) => `message ${i}`);
    const ids = await store.appendMessages(
      "s",
      texts.map((content) => ({ role: "user", content })),
    );
    const stored = await store.getMessages("s");
    expect(stored.map(({ id, content }) => [id, content])).toEqual(texts.map((text, i) => [ids[i], text]));
    expect((await store.searchMessages("message")).hits).not.toEqual([]);
    expect(await store.appendMessages("s", [])).toEqual([]);
  });

  it("keep structured content behind NUL and json:, as Hermes does", async () => {
    const { store, file } = await storeWithSession();
    const parts = [
      { type: "text", text: "see" },
      { type: "image_url", image_url: { url: "x" } },
    ];
    await store.appendMessages("s", [{ role: "user", content: parts }]);
    const db = new Database(file, { readonly: true });
    const stored = db.prepare("SELECT hex(content) FROM messages").pluck().get() as string;
    db.close();
    expect(stored).toMatch(/^006A736F6E3A/);
    expect((await store.getMessages("s"))[0]?.content).toEqual(parts);
  });

  it("become a conversation without system rows, session_meta and undone turns", async () => {
    const { store } = await storeWithSession();
    const call = { id: "c1", type: "function", function: { name: "terminal", arguments: "{}" } };
    await store.appendMessages("s", [
      { role: "session_meta" },
      { role: "system", content: "be kind" },
      { role: "user", content: "ls", platform_message_id: "42" },
      { role: "assistant", content: null, tool_calls: [call], reasoning: "hmm" },
      { role: "tool", content: "a b", tool_call_id: "c1", tool_name: "terminal" },
      { role: "assistant", content: "done" },
      { role: "user", content: "oops" },
      { role: "assistant", content: "what?" },
    ]);
    expect(await store.undoTurns("s")).toEqual({ undone: 1, texts: ["oops"] });
    expect(await store.getConversation("s")).toEqual([
      { role: "user", content: "ls", message_id: "42" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", content: "a b", tool_call_id: "c1", tool_name: "terminal" },
      { role: "assistant", content: "done" },
    ]);
  });

  it("are replayed in the order of writing, not by the platforms' clocks", async () => {
    const { store } = await storeWithSession();
    await store.appendMessages("s", [{ role: "assistant", content: "first", timestamp: 200 }]);
    await store.appendMessages("s", [{ role: "user", content: "second", timestamp: 100 }]);
    expect((await store.getConversation("s")).map((m) => m.content)).toEqual(["first", "second"]);
  });

  it("are marked undone, several turns at once", async () => {
    const { store } = await storeWithSession();
    for (const text of ["one", "two", "three"]) {
      await store.appendMessages("s", [
        { role: "user", content: text },
        { role: "assistant", content: `re ${text}` },
      ]);
    }
    expect(await store.undoTurns("s", 2)).toEqual({ undone: 2, texts: ["two", "three"] });
    expect(await store.getSession("s")).toMatchObject({ message_count: 6, rewind_count: 1 });
    expect(await store.getMessages("s")).toHaveLength(2);
    expect(await store.getMessages("s", { includeUndone: true })).toHaveLength(6);
    expect(await store.undoTurns("s", 5)).toMatchObject({ undone: 1 });
    expect(await store.undoTurns("s")).toEqual({ undone: 0, texts: [] });
  });

  it("are read by their ids", async () => {
    const { store } = await storeWithSession();
    const ids = await store.appendMessages(
      "s",
      ["a", "b", "c"].map((content) => ({ role: "user", content })),
    );
    const page = await store.getMessages("s", { ids: [ids[1]!, 999] });
    expect(page.map((m) => m.content)).toEqual(["b"]);
  });
});

describe("a conversation", () => {
  it("excludes reasoning and system prompts", () => {
    const db = new Database(":memory:");
    createSchema(db);
    const insert = db.prepare(
      "INSERT INTO messages (session_id, role, content, timestamp, reasoning) VALUES (?, ?, ?, 1, ?)",
    );
    const add = db.transaction((session: string, reasoning: string, system: string) => {
      db.prepare("INSERT INTO sessions (id, source, started_at) VALUES (?, 'cli', 1)").run(session);
      for (let i = 0; i < 200; i += 1) insert.run(session, i % 2 ? "user" : "assistant", "hello", reasoning);
      for (let i = 0; i < 5; i += 1) insert.run(session, "system", system, null);
    });
    add("short", "", "");
    add("long", "hm ".repeat(20_000), "be kind ".repeat(200_000));
    const cost = (session: string) => cpuTime(() => getConversation(db, session));
    cost("short");
    expect(cost("long") / cost("short")).toBeLessThan(3);
    db.close();
  });
});
