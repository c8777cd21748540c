import { describe, expect, it } from "vitest";
import type { OpenedStore } from "../../src/store/sqlite/index.js";
import { tempStore } from "../support/temp.js";

const ANN = { platform: "web", userId: "ann" };
const KEY = "agent:main:web:dm:ann";

async function talk(store: OpenedStore, thread: string | null, session: string, texts: string[]) {
  const sessionKey = thread === null ? KEY : `${KEY}:${thread}`;
  await store.switchRoute({
    sessionKey,
    origin: { platform: "web", chatType: "dm", chatId: "ann", userId: "ann", threadId: thread },
    tuple: JSON.stringify(["web", "dm", "ann", thread, null]),
    session: { id: session, source: "web", user_id: "ann" },
    expectedSessionId: null,
    ...{ endReason: "session_reset", at: 1 },
  });
  await store.appendMessages(
    session,
    texts.map((content, i) => ({ role: i % 2 === 0 ? "user" : "assistant", content })),
  );
  return sessionKey;
}

const listed = async (store: OpenedStore, query: object = {}) =>
  (await store.listConversations({ person: ANN, key: KEY, ...query })).conversations;

describe("conversations", () => {
  it("are a person's chat, its threads, and sessions without a chat", async () => {
    const { store } = await tempStore();
    await store.createSession({ id: "old", source: "web", user_id: "ann" });
    await store.appendMessages("old", [{ role: "user", content: "from before", timestamp: 5 }]);
    await talk(store, null, "s0", ["in the chat"]);
    await talk(store, "t1", "s1", ["first", "answer"]);
    await talk(store, "empty", "s2", []);
    await store.createSession({ id: "other", source: "web", user_id: "bob" });
    await store.appendMessages("other", [{ role: "user", content: "not hers" }]);
    expect(await listed(store)).toMatchObject([
      { id: "t1", sessionKey: `${KEY}:t1`, sessionId: "s1", preview: "first", messageCount: 2 },
      { id: null, sessionKey: KEY, sessionId: "s0" },
      { id: "old", sessionKey: null, sessionId: "old", lastActive: 5 },
    ]);
  });

  it("are paged by activity, and found by id and by session", async () => {
    const { store } = await tempStore();
    for (const n of [1, 2, 3, 4, 5]) await talk(store, `t${n}`, `s${n}`, [`question ${n}`]);
    const first = await store.listConversations({ person: ANN, key: KEY, limit: 3, except: ["t4"] });
    expect(first.conversations.map(({ id }) => id)).toEqual(["t5", "t3", "t2"]);
    const rest = { except: ["t4"], before: first.next! };
    expect((await listed(store, rest)).map(({ id }) => id)).toEqual(["t1"]);
    expect((await listed(store, { ids: ["t2"] })).map(({ id }) => id)).toEqual(["t2"]);
    expect((await listed(store, { holding: ["s3", "nothing"] })).map(({ id }) => id)).toEqual(["t3"]);
  });

  it("keep their forks and continuations together, under one title", async () => {
    const { store } = await tempStore();
    const key = await talk(store, "t1", "s1", ["one", "answer", "two", "answer"]);
    await store.setTitle("s1", "Numbers");
    const [, , third] = await store.getMessages("s1");
    const route = await store.switchRoute({
      ...{ sessionKey: key, sessionId: "s1", endReason: "session_switch" },
      copy: { id: "fork", before: third!.id },
    });
    expect(route?.sessionId).toBe("fork");
    expect((await store.getMessages("fork")).map(({ content }) => content)).toEqual(["one", "answer"]);
    expect(await listed(store)).toMatchObject([{ id: "t1", title: "Numbers", sessions: ["s1", "fork"] }]);
    const { descendants } = await store.getLineage("s1");
    expect(descendants).toMatchObject([{ id: "fork", kind: "branch", fork: { messages: 2 } }]);
    const child = await store.splitRoute({
      sessionKey: key,
      epoch: route!.epoch,
      parentId: "fork",
      messages: [{ role: "user", content: "summary" }],
    });
    expect(child?.title).toBe("Numbers #3");
    expect(await listed(store)).toMatchObject([{ id: "t1", title: "Numbers", sessionId: child!.id }]);
  });

  it("are deleted with their sessions and queue rows", async () => {
    const { store } = await tempStore();
    const key = await talk(store, "t1", "s1", ["one"]);
    await talk(store, "t2", "s2", ["other"]);
    await store.createSession({ id: "bobs", source: "web", user_id: "bob" });
    const message = {
      ...{ platform: "web", account: "web", eventId: "e1", text: "secret", attachments: [], sentAt: 1 },
      origin: { platform: "web", chatType: "dm", chatId: "ann", userId: "ann", threadId: "t1" },
      ...{ mentioned: false, repliedToBot: false, threadWithBot: false, isBot: false, authenticated: true },
    };
    await store.acceptMessages([{ message, sessionKey: key, receivedAt: 1 }]);
    await store.deleteSessions(["s1", "bobs"], { chat: key, owner: ANN });
    expect((await listed(store)).map(({ id }) => id)).toEqual(["t2"]);
    expect(await store.getSession("s1")).toBeUndefined();
    expect(await store.getSession("bobs")).toBeDefined();
    expect(await store.openMessages()).toEqual([]);
    expect(await store.chatLog("web", "ann", 10)).toEqual([]);
    // Sent once more, it isn't answered.
    expect(await store.acceptMessages([{ message, sessionKey: key, receivedAt: 2 }])).toEqual([]);
  });

  it("have separate logs", async () => {
    const { store } = await tempStore();
    const accept = (eventId: string, threadId: string | null) =>
      store.acceptMessages([
        {
          message: {
            ...{ platform: "web", account: "web", eventId, text: eventId, attachments: [], sentAt: 1 },
            origin: { platform: "web", chatType: "dm", chatId: "ann", userId: "ann", threadId },
            ...{ mentioned: false, repliedToBot: false, threadWithBot: false, isBot: false },
            authenticated: true,
          },
          ...{ sessionKey: threadId === null ? KEY : `${KEY}:${threadId}`, receivedAt: 1 },
        },
      ]);
    await accept("e1", "t1");
    await accept("e2", null);
    const log = async (chat: Parameters<typeof store.chatLog>[1]) =>
      (await store.chatLog("web", chat, 10)).map(({ text }) => text);
    expect(await log({ chatId: "ann", threadId: "t1" })).toEqual(["e1"]);
    expect(await log({ chatId: "ann", threadId: null })).toEqual(["e2"]);
    expect(await log("ann")).toHaveLength(2);
  });
});

describe("records", () => {
  const record = (owner: string, id: string, more: object = {}) => ({
    ...{ platform: "web", kind: "file", owner, id, value: { name: id }, ...more },
  });

  it("belong to their owner", async () => {
    const { store } = await tempStore();
    expect(await store.saveRecord(record("ann", "f1", { place: "t1" }))).toBe(true);
    expect(await store.saveRecord(record("bob", "f1"))).toBe(false);
    await store.saveRecord(record("ann", "f2"));
    const ids = async (query: object) =>
      (await store.listRecords({ platform: "web", kind: "file", ...query })).map(({ id }) => id);
    expect(await ids({ owner: "ann" })).toEqual(["f1", "f2"]);
    expect(await ids({ owner: "ann", place: "t1" })).toEqual(["f1"]);
    expect(await ids({ owner: "bob" })).toEqual([]);
    expect(await store.removeRecords({ platform: "web", id: "f1" })).toMatchObject([
      { value: { name: "f1" } },
    ]);
    expect(await ids({ id: "f1" })).toEqual([]);
  });

  it("expire", async () => {
    const { store } = await tempStore();
    await store.saveRecord(record("ann", "f1", { expiresAt: 10 }));
    expect(await store.listRecords({ platform: "web" })).toEqual([]);
    expect(await store.removeRecords({ platform: "web", expiredBy: 5 })).toEqual([]);
    expect(await store.removeRecords({ platform: "web", expiredBy: 10 })).toHaveLength(1);
  });

  it("are erased with the person's other data", async () => {
    const { store } = await tempStore();
    await talk(store, "t1", "s1", ["one"]);
    await store.saveRecord(record("ann", "f1"));
    await store.saveRecord(record("bob", "f2"));
    const plan = await store.planErasure(ANN);
    await store.erasePerson(plan, "data");
    expect((await store.listRecords({ platform: "web" })).map(({ id }) => id)).toEqual(["f2"]);
  });
});
