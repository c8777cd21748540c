import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { Origin, Principal, Room } from "../../src/message.js";
import type { Store } from "../../src/store/store.js";
import { tempStore } from "../support/temp.js";

/** Ann has a session in her direct chat, one in each of two rooms, and Bob has one in the first. */

const ann: Principal = { platform: "test", userId: "ann" };
const olga: Principal = { platform: "test", userId: "olga", owner: true };
const R1: Room = { platform: "test", chatId: "r1" };
const R2: Room = { platform: "test", chatId: "r2" };
const inR1 = { ...ann, room: R1 };

async function setUp() {
  const { store, file } = await tempStore();
  const add = async (id: string, user_id: string, room?: Room) => {
    await store.createSession({ id, source: "test", user_id, title: `title ${id}`, room });
    await store.appendMessages(id, [{ role: "user", content: `walrus ${id}` }]);
  };
  await add("alone", "ann");
  await add("first", "ann", R1);
  await add("second", "ann", R2);
  await add("bobs", "bob", R1);
  return { store, file };
}

/** Every way to come by a session gives the same ones. */
const roomIn = async (store: Store, id: string) => (await store.getLineage(id)).room;

async function seenBy(store: Store, asker: Principal): Promise<string[]> {
  const all = ["alone", "first", "second", "bobs", "child"];
  const listed = (await store.listSessions({ asker, order: "active" })).map(({ id }) => id);
  const byStart = (await store.listSessions({ asker })).map(({ id }) => id);
  const { hits } = await store.searchMessages("walrus", { asker });
  const byId = await Promise.all(all.map((id) => store.getSession(id, asker)));
  const byName = await Promise.all(all.map((id) => store.getSession({ called: id }, asker)));
  const byTitle = await Promise.all(all.map((id) => store.getSession({ title: `title ${id}` }, asker)));
  const found = [byId, byName, byTitle].map((rows) => rows.map((row) => row?.id));
  for (const ids of [byStart, hits.map(({ session_id }) => session_id), ...found])
    expect(new Set(ids.filter((id) => id !== undefined))).toEqual(new Set(listed));
  return listed.toSorted();
}

async function moveTo(store: Store, origin: Pick<Origin, "chatType" | "chatId">, sessionId: string) {
  const key = `key of ${origin.chatId}`;
  await store.switchRoute({
    ...{ sessionKey: key, origin: { platform: "test", userId: "ann", ...origin }, tuple: "[]" },
    ...{ session: { source: "test", user_id: "ann" }, expectedSessionId: null, endReason: "x", at: 1 },
  });
  await store.switchRoute({ sessionKey: key, sessionId, endReason: "session_switch" });
}

describe("a room", () => {
  it("shows its own sessions that the asker may see; a direct chat shows all of them", async () => {
    const { store } = await setUp();
    expect(await seenBy(store, inR1)).toEqual(["first"]);
    expect(await seenBy(store, { ...ann, room: R2 })).toEqual(["second"]);
    expect(await seenBy(store, { ...ann, room: { platform: "other", chatId: "r1" } })).toEqual([]);
    expect(await seenBy(store, ann)).toEqual(["alone", "first", "second"]);
  });

  it("limits what an owner sees there", async () => {
    const { store } = await setUp();
    expect(await seenBy(store, { ...olga, room: R1 })).toEqual(["bobs", "first"]);
    expect(await seenBy(store, olga)).toEqual(["alone", "bobs", "first", "second"]);
  });

  it("keeps compressed sessions and their copies", async () => {
    const { store } = await setUp();
    await store.splitSession({ parentId: "first", childId: "summarised" });
    await store.createSession({ id: "copy", source: "test", user_id: "ann", parent_session_id: "first" });
    for (const id of ["first", "summarised", "copy"]) expect(await roomIn(store, id)).toEqual(R1);
    expect(await roomIn(store, "alone")).toBeUndefined();
  });

  it("loses a session that continues elsewhere, with its ancestors", async () => {
    const { store } = await setUp();
    await store.splitSession({ parentId: "first", childId: "summarised" });
    await moveTo(store, { chatType: "group", chatId: "r1" }, "summarised");
    expect(await roomIn(store, "summarised")).toEqual(R1);
    await moveTo(store, { chatType: "dm", chatId: "dm-ann" }, "summarised");
    expect(await roomIn(store, "summarised")).toBeUndefined();
    expect(await seenBy(store, inR1)).toEqual([]);
    expect(await roomIn(store, "bobs")).toEqual(R1);
  });

  it("gets no sessions from elsewhere", async () => {
    const { store } = await setUp();
    await moveTo(store, { chatType: "group", chatId: "r1" }, "alone");
    await moveTo(store, { chatType: "group", chatId: "r1" }, "second");
    expect(await seenBy(store, inR1)).toEqual(["first"]);
  });

  it("keeps its sessions when its chat gets another id", async () => {
    const { store } = await setUp();
    await store.moveChat("test", "r1", "r9");
    expect(await seenBy(store, { ...ann, room: { platform: "test", chatId: "r9" } })).toEqual(["first"]);
    expect(await roomIn(store, "second")).toEqual(R2);
  });

  it("is known for adopted sessions", async () => {
    const { store } = await setUp();
    const flags = {};
    const route = { sessionKey: "k", tuple: "[]", createdAt: 1, updatedAt: 1, lastPromptTokens: 0, flags };
    const origin: Origin = { platform: "test", chatType: "group", chatId: "r1", userId: "ann" };
    await store.adopt({ routes: [{ ...route, sessionId: "theirs", origin }] });
    expect(await roomIn(store, "theirs")).toEqual(R1);
  });

  it("leaves nothing behind when its sessions are removed", async () => {
    const { store, file } = await setUp();
    await store.deleteSessions(["first"]);
    const db = new Database(file, { readonly: true });
    expect(db.prepare("SELECT session_id FROM gw_rooms ORDER BY 1").pluck().all()).toEqual([
      "bobs",
      "second",
    ]);
    db.close();
  });
});
