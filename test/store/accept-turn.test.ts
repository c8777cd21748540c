import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { AcceptedMessage, AcceptedStart, KnownRoute } from "../../src/store/queues.js";
import type { OpenedStore } from "../../src/store/sqlite/index.js";
import { inboundMessage } from "../support/inbound-message.js";
import { tempStore } from "../support/temp.js";

const KEY = "agent:main:test:dm:1";
const BOOT = "boot";
const TUPLE = JSON.stringify(["test", "dm", "1"]);
const origin = { platform: "test", chatType: "dm", chatId: "1", userId: "ann" } as const;

const accepted = (eventId: string, more: Partial<AcceptedMessage> = {}): AcceptedMessage => ({
  message: inboundMessage({ eventId, text: eventId, origin }),
  sessionKey: KEY,
  receivedAt: 1,
  guard: { tuple: TUPLE, otherKey: `${KEY}~` },
  ...more,
});

const opening = (turnId: string, id = "s1"): AcceptedStart => ({
  ...{ bootId: BOOT, turnId, at: 2000, expected: null },
  open: { origin, tuple: TUPLE, session: { id, source: "test", user_id: "ann" }, memoryFlush: false },
});

const going = (turnId: string, expected: KnownRoute): AcceptedStart => ({
  ...{ bootId: BOOT, turnId, at: 3000, expected },
});

/** A chat whose first turn is done. */
async function chat() {
  const { store, file } = await tempStore();
  const first = await store.acceptTurn(accepted("e1"), opening("t1"));
  const { session, epoch, rows } = first!.started!;
  await store.finishTurn({
    ...{ turnId: "t1", sessionKey: KEY, sessionId: session.id, epoch, inboxIds: [rows[0]!.id] },
    ...{ messages: [{ role: "user", content: "e1" }], usage: {}, participants: [], replies: [] },
  });
  return { store, file, route: (await store.getRoute(KEY))! };
}

const EXPIRED = { sessionKey: KEY, sessionId: "s1", reason: "idle" };
const CLOSED = {
  ...{ platform: "test", account: "bot", sessionKey: KEY },
  ...{ reason: "closed", endReason: "session_reset" },
};

const states = async (store: OpenedStore) =>
  (await store.openMessages()).map(({ message, attempts }) => [message.eventId, attempts]);

describe("a message that starts its turn when it is accepted", () => {
  it.each([false, true])(
    "reports the turn before the commit, which the end of the turn shares (threads: %s)",
    async (threads) => {
      const { store } = await tempStore(undefined, undefined, { threads });
      const before = (await store.maintenance.writerStats()).commitSeconds.count;
      let finished: Promise<unknown> | undefined;
      const turn = await store.acceptTurn(accepted("e1"), opening("t1"), (early) => {
        const { session, epoch, rows } = early!.started!;
        const end = { turnId: "t1", sessionKey: KEY, sessionId: session.id, epoch, inboxIds: [rows[0]!.id] };
        finished = store.finishTurn({ ...end, messages: [], usage: {}, participants: [], replies: [] });
      });
      expect(turn?.started?.session.id).toBe("s1");
      expect(await finished).toEqual([]);
      expect((await store.maintenance.writerStats()).commitSeconds.count - before).toBeLessThanOrEqual(2);
      expect(await states(store)).toEqual([]);
    },
  );

  it("opens its session with the same commit", async () => {
    const { store } = await tempStore();
    const before = (await store.maintenance.writerStats()).commitSeconds.count;
    const turn = await store.acceptTurn(accepted("e1"), opening("t1"));
    expect((await store.maintenance.writerStats()).commitSeconds.count - before).toBe(1);
    expect(turn).toMatchObject({
      row: { sessionKey: KEY, message: { eventId: "e1" } },
      started: {
        ...{ opened: true, attempt: 1, session: { id: "s1" }, route: { sessionId: "s1" } },
        rows: [{ id: turn!.row.id, state: "running", turnId: "t1", attempts: 1 }],
      },
    });
    expect(await store.openMessages({ runningUnder: BOOT })).toMatchObject([
      { id: turn!.row.id, turnId: "t1", sessionKey: KEY },
    ]);
  });

  it("continues the session of the caller's route", async () => {
    const { store, route } = await chat();
    const turn = await store.acceptTurn(accepted("e2"), going("t2", route));
    expect(turn?.started).toMatchObject({ opened: false, epoch: route.epoch + 1, session: { id: "s1" } });
    expect(turn?.started?.route.lastUserActivity).toBe(3000);
  });

  it("adds nothing if the event is already stored", async () => {
    const { store, route } = await chat();
    expect(await store.acceptTurn(accepted("e1"), going("t2", route))).toBeUndefined();
    expect(await store.acceptTurn(accepted("e1"), opening("t3", "s2"))).toBeUndefined();
    expect(await store.getRoute(KEY)).toEqual(route);
    expect(await store.getSession("s2")).toBeUndefined();
    expect(await store.openMessages({ runningUnder: BOOT })).toEqual([]);
  });

  it("waits behind an older message", async () => {
    const { store, route } = await chat();
    await store.acceptMessages([accepted("e2")]);
    const turn = await store.acceptTurn(accepted("e3"), going("t3", route));
    expect(turn).toMatchObject({ row: { state: "waiting", route: { epoch: route.epoch } } });
    expect(turn?.started).toBeUndefined();
    expect(await states(store)).toEqual([
      ["e2", 0],
      ["e3", 0],
    ]);
    expect(await store.getRoute(KEY)).toEqual(route);
  });

  it.each<[string, (route: KnownRoute) => AcceptedStart, ((store: OpenedStore) => Promise<unknown>)?]>([
    ["there is a route already", () => opening("t2", "s2")],
    ["the epoch is another one", (route) => going("t2", { ...route, epoch: route.epoch - 1 })],
    ["the session is another one", (route) => going("t2", { ...route, sessionId: "s0" })],
    ["the chat was silent for longer", (route) => going("t2", { ...route, lastUserActivity: 2500 })],
    [
      "it was suspended",
      (route) => going("t2", route),
      (store) => store.setRouteFlags(KEY, { suspended: true }),
    ],
    [
      "it was reset",
      (route) => going("t2", route),
      (store) => store.settleDueRoutes({ rules: "", postponed: [], expired: [EXPIRED] }),
    ],
    ["it was closed", (route) => going("t2", route), (store) => store.closeChat(CLOSED)],
  ])("waits if %s", async (_, startOf, change) => {
    const { store, route } = await chat();
    await change?.(store);
    const turn = await store.acceptTurn(accepted("e2"), startOf(route));
    expect(turn?.started).toBeUndefined();
    expect(turn?.row.route ?? undefined).toEqual(await store.getRoute(KEY));
    expect((await states(store)).filter(([event]) => event === "e2")).toEqual([["e2", 0]]);
    expect(await store.getSession("s2")).toBeUndefined();
  });

  it("waits under another key if its key belongs to another chat", async () => {
    const { store, route } = await chat();
    const guard = { tuple: '["test","dm","2"]', otherKey: `${KEY}~` };
    const turn = await store.acceptTurn(accepted("e2", { guard }), going("t2", route));
    expect(turn).toMatchObject({ row: { sessionKey: `${KEY}~`, state: "waiting" } });
    expect(turn?.started).toBeUndefined();
    expect(await store.getRoute(KEY)).toEqual(route);
  });

  it("is accepted even if its turn can't start", async () => {
    const { store, file, route } = await chat();
    const db = new Database(file);
    db.exec("PRAGMA foreign_keys = OFF; DELETE FROM sessions");
    db.close();
    const turn = await store.acceptTurn(accepted("e2"), going("t2", route));
    expect(turn).toMatchObject({ row: { state: "waiting" } });
    expect(turn?.started).toBeUndefined();
    expect(await states(store)).toEqual([["e2", 0]]);
    expect((await store.getRoute(KEY))?.epoch).toBe(route.epoch);
  });

  it("saves its cursor in the same commit", async () => {
    const { store, route } = await chat();
    const cursor = { name: "offset", value: "7" };
    await store.acceptTurn(accepted("e2", { cursor }), going("t2", route));
    expect(
      await store.getValue({ platform: "test", account: accepted("e2").message.account, name: "offset" }),
    ).toBe("7");
  });

  it("waits again after a crash, like any message", async () => {
    const { store } = await tempStore();
    const notices = { dead: "I gave up.", interrupted: "I was interrupted." };
    await store.acceptTurn(accepted("e1"), opening("t1"));
    expect(await store.recover("next boot", 3, notices)).toMatchObject({ waiting: 1, dead: [] });
    expect(await states(store)).toEqual([["e1", 1]]);
  });
});
