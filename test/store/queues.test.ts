import path from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import type { InboundMessage, Target } from "../../src/message.js";
import type { AcceptedMessage, InboxRow, NewReply, StartedTurn } from "../../src/store/queues.js";
import { type OpenedStore, openStore } from "../../src/store/sqlite/index.js";
import { tempDir, tempStore } from "../support/temp.js";

const NOTICES = { dead: "I gave up.", interrupted: "I was interrupted." };

const BOOT = "boot-1";
const KEY = "agent:main:test:dm:c1";
const stopped = { sessionKey: KEY, reason: "stopped" };

function message(eventId: string, text = eventId, chatId = "c1"): InboundMessage {
  return {
    platform: "test",
    account: "bot",
    eventId,
    origin: { platform: "test", chatType: "dm", chatId, userId: "ann", messageId: `platform-${eventId}` },
    text,
    attachments: [],
    sentAt: 1,
    mentioned: false,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: false,
  };
}

const accepted = (eventId: string, key = KEY): AcceptedMessage => ({
  message: message(eventId),
  sessionKey: key,
  receivedAt: Date.now() / 1000,
});

const target = (chatId = "c1"): Target => ({
  platform: "test",
  account: "bot",
  chatType: "dm",
  chatId,
  threadId: null,
  userId: "ann",
  replyTo: "asked",
});

const answer = (text: string, chatId?: string): NewReply => ({
  target: target(chatId),
  kind: "answer",
  text,
});

async function openRoute(store: OpenedStore, key = KEY): Promise<void> {
  const origin = message("x").origin;
  await store.switchRoute({
    sessionKey: key,
    origin,
    tuple: JSON.stringify([key]),
    session: { source: "test", user_id: "ann" },
    expectedSessionId: null,
    endReason: "session_reset",
    at: 1000,
  });
}

const expire = (store: OpenedStore, sessionId: string, reason: string) =>
  store.settleDueRoutes({ rules: "", expired: [{ sessionKey: KEY, sessionId, reason }], postponed: [] });

let turns = 0;

async function startTurn(store: OpenedStore, rows: readonly InboxRow[], bootId = BOOT) {
  turns += 1;
  const turnId = `turn-${turns}`;
  const inboxIds = rows.map(({ id }) => id);
  const started = await store.startTurn({
    sessionKey: rows[0]!.sessionKey,
    inboxIds,
    bootId,
    turnId,
    at: 2000,
  });
  return { turnId, inboxIds, started: started! };
}

function finish(
  store: OpenedStore,
  turn: { turnId: string; inboxIds: number[]; started: StartedTurn },
  text: string,
) {
  const { turnId, inboxIds, started } = turn;
  return store.finishTurn({
    turnId,
    sessionKey: started.route.sessionKey,
    sessionId: started.session.id,
    epoch: started.epoch,
    inboxIds,
    messages: [
      { role: "user", content: "asked" },
      { role: "assistant", content: text },
    ],
    usage: { input_tokens: 3, output_tokens: 4 },
    lastPromptTokens: 7,
    participants: [{ platform: "test", userId: "ann" }],
    replies: [answer(text)],
  });
}

async function begun(events: readonly string[] = ["e1"]) {
  const { store, file } = await tempStore();
  await openRoute(store);
  const rows = await store.acceptMessages(events.map((event) => accepted(event)));
  return { store, file, rows };
}

const rowsOf = <T>(file: string, query: string): T[] => {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare(query).all() as T[];
  } finally {
    db.close();
  }
};

const statesOf = (file: string, table: string) =>
  rowsOf<{ state: string }>(file, `SELECT state FROM ${table} ORDER BY id`).map(({ state }) => state);

describe("accepting", () => {
  it("stores an event once, in the given order", async () => {
    const { store, rows } = await begun(["e1", "e2"]);
    expect(rows.map((row) => row.message.eventId)).toEqual(["e1", "e2"]);
    const again = await Promise.all(
      [1, 2, 3].map(() => store.acceptMessages([accepted("e2"), accepted("e3")])),
    );
    expect(again.flat().map((row) => row.message.eventId)).toEqual(["e3"]);
    expect((await store.openMessages()).map((row) => row.message.eventId)).toEqual(["e1", "e2", "e3"]);
  });

  it("distinguishes bots and platforms", async () => {
    const { store } = await begun();
    const other = { ...accepted("e1"), message: { ...message("e1"), account: "other bot" } };
    expect(await store.acceptMessages([other])).toHaveLength(1);
  });

  it("cancels waiting messages, but not later ones", async () => {
    const { store, file, rows } = await begun(["e1", "e2", "e3"]);
    expect((await store.cancelMessages({ ...stopped, before: rows[2]!.id })).rows).toHaveLength(2);
    expect(statesOf(file, "gw_inbox")).toEqual(["cancelled", "cancelled", "waiting"]);
    expect((await store.cancelMessages({ ...stopped, sessionKey: "another key" })).rows).toEqual([]);
    expect((await store.cancelMessages(stopped)).rows).toMatchObject([
      { id: rows[2]!.id, state: "cancelled" },
    ]);
  });
});

describe("a command", () => {
  it("is started once and settled once, with its reply and follow-up", async () => {
    const { store, rows } = await begun();
    const id = rows[0]!.id;
    const start = { inboxId: id, bootId: BOOT, command: "queue" };
    const starts = await Promise.all([1, 2, 3].map(() => store.startMessage(start)));
    expect(starts.toSorted()).toEqual([1, undefined, undefined]);
    const settled = { inboxId: id, state: "done", reason: "/queue", replies: [answer("queued")] } as const;
    const follow = await store.settleMessage({ ...settled, follow: accepted("e1/queue") });
    expect(follow).toMatchObject({ state: "waiting", sessionKey: KEY });
    expect(await store.settleMessage({ ...settled, follow: accepted("e1/again") })).toBeUndefined();
    expect(await store.claimDeliveries(BOOT, 10)).toHaveLength(1);
  });

  it("isn't repeated after a crash", async () => {
    const { store, rows } = await begun();
    await store.startMessage({ inboxId: rows[0]!.id, bootId: BOOT, command: "new" });
    const recovered = await store.recover("boot-2", 3, NOTICES);
    expect(recovered).toMatchObject({ waiting: 0, dead: [], interrupted: [{ id: rows[0]!.id }] });
    expect(await store.openMessages()).toEqual([]);
  });
});

describe("a turn", () => {
  it("writes messages, counters, route, answers and done rows together", async () => {
    const { store, file, rows } = await begun(["e1", "e2"]);
    const turn = await startTurn(store, rows);
    expect(turn.started).toMatchObject({ attempt: 1, epoch: 2 });
    expect(await finish(store, turn, "hello")).toEqual([]);
    const session = await store.getSession(turn.started.session.id);
    expect(session).toMatchObject({ message_count: 2, input_tokens: 3, output_tokens: 4 });
    expect(await store.getRoute(KEY)).toMatchObject({ lastPromptTokens: 7, lastUserActivity: 2000 });
    expect(statesOf(file, "gw_inbox")).toEqual(["done", "done"]);
    expect(await store.claimDeliveries(BOOT, 10)).toMatchObject([{ text: "hello", turnId: turn.turnId }]);
  });

  it("writes nothing if a part of it fails", async () => {
    const { store, file, rows } = await begun();
    const turn = await startTurn(store, rows);
    const again = await store.acceptMessages([accepted("e2")]);
    const row = { ...turn, started: turn.started };
    expect(await finish(store, row, "first")).toEqual([]);
    // The nonce is made from the turn: another answer under the same one can't be written.
    const next = await startTurn(store, again);
    const db = new Database(file);
    db.prepare("UPDATE gw_outbox SET nonce = ?").run(`${next.turnId}.0`);
    db.close();
    const before = rowsOf(file, "SELECT * FROM messages");
    await expect(finish(store, next, "second")).rejects.toThrow();
    expect(rowsOf(file, "SELECT * FROM messages")).toEqual(before);
    expect(await store.getSession(turn.started.session.id)).toMatchObject({
      message_count: 2,
      input_tokens: 3,
    });
    expect(statesOf(file, "gw_inbox")).toEqual(["done", "running"]);
  });

  it("with an old epoch writes nothing", async () => {
    const { store, file, rows } = await begun(["e1", "e2"]);
    const old = await startTurn(store, [rows[0]!]);
    const current = await startTurn(store, [rows[1]!]);
    expect(await finish(store, old, "too late")).toBeUndefined();
    expect(await finish(store, current, "in time")).toEqual([]);
    const said = rowsOf<{ content: string }>(file, "SELECT content FROM messages ORDER BY id");
    expect(said.map(({ content }) => content)).toEqual(["asked", "in time"]);
    expect(await store.claimDeliveries(BOOT, 10)).toMatchObject([{ text: "in time" }]);
  });

  it.each([
    ["a reset", async (store: OpenedStore, id: string) => void (await expire(store, id, "idle"))],
    [
      "a split",
      async (store: OpenedStore, id: string) => {
        const { epoch } = (await store.getRoute(KEY))!;
        await store.splitRoute({ sessionKey: KEY, epoch, parentId: id, messages: [] });
      },
    ],
    [
      "a switch",
      async (store: OpenedStore) => {
        const other = await store.createSession({ source: "test" });
        await store.switchRoute({ sessionKey: KEY, sessionId: other.id, endReason: "session_switch" });
      },
    ],
  ])("is overtaken by %s, and can still give its rows back", async (_, overtake) => {
    const { store, file, rows } = await begun();
    const turn = await startTurn(store, rows);
    await overtake(store, turn.started.session.id);
    expect(await finish(store, turn, "too late")).toBeUndefined();
    const next = { state: "waiting", waitSeconds: 0, uncounted: true } as const;
    const { turnId, inboxIds } = turn;
    await store.failTurn({ turnId, sessionKey: KEY, inboxIds, error: "overtaken", next, replies: [] });
    expect(statesOf(file, "gw_inbox")).toEqual(["waiting"]);
    expect(await store.openMessages()).toMatchObject([{ attempts: 0 }]);
  });

  it("that lost its rows to another turn can't fail them", async () => {
    const { store, file, rows } = await begun();
    const old = await startTurn(store, rows);
    await store.recover("boot-2", 3, NOTICES);
    const current = await startTurn(store, rows, "boot-2");
    const { turnId, inboxIds } = old;
    const failed = {
      turnId,
      sessionKey: KEY,
      inboxIds,
      error: "old",
      next: { state: "dead" },
      replies: [],
    } as const;
    expect(await store.failTurn(failed)).toBeUndefined();
    expect(await finish(store, current, "new")).toEqual([]);
    expect(statesOf(file, "gw_inbox")).toEqual(["done"]);
  });

  it("isn't started for messages that were accepted before a stop, even if the clock was set back meanwhile", async () => {
    const { store } = await begun([]);
    const accept = async (eventId: string, receivedAt: number) =>
      (await store.acceptMessages([{ ...accepted(eventId), receivedAt }]))[0]!;
    const first = await accept("e1", 5000);
    const stop = await accept("/stop", 1400);
    await accept("e2", 1401);
    const { rows: cancelled } = await store.cancelMessages({ ...stopped, before: stop.id });
    expect(cancelled.map(({ id }) => id)).toEqual([first.id]);
    expect((await store.openMessages()).map(({ message: { eventId } }) => eventId)).toEqual(["/stop", "e2"]);
  });

  it("skips messages that were cancelled meanwhile", async () => {
    const { store, rows } = await begun();
    await store.cancelMessages(stopped);
    expect((await startTurn(store, rows)).started).toBeUndefined();
  });
});

describe("a preview", () => {
  const delivered = async (store: OpenedStore) => {
    const [row] = await store.claimDeliveries(BOOT, 1);
    return row!;
  };
  type Started = Awaited<ReturnType<typeof startTurn>>;
  const claim = ({ turnId, inboxIds }: Started, bootId = BOOT) => ({ inboxId: inboxIds[0]!, turnId, bootId });
  const begin = (store: OpenedStore, turn: Started, bootId?: string) =>
    store.recordPreview({ step: "begin", ...claim(turn, bootId) });
  const posted = (store: OpenedStore, turn: Started, messageId: string | null, bootId?: string) =>
    store.recordPreview({ step: "posted", messageId, ...claim(turn, bootId) });
  const replaced = (store: OpenedStore, outboxId: number, messageId: string, bootId = BOOT) =>
    store.recordPreview({ step: "replaced", outboxId, messageId, bootId });
  const fail = (
    store: OpenedStore,
    { turnId, inboxIds }: Started,
    next: { state: "waiting"; waitSeconds: number } | { state: "dead" },
    said?: string,
  ) => {
    const failure = { turnId, inboxIds, sessionKey: KEY, error: "e", next, replies: [] };
    return store.failTurn({ ...failure, ...(said === undefined ? {} : { said }) });
  };
  const WAITING = { state: "waiting", waitSeconds: 0 } as const;

  /** A turn of another chat that shows a preview. */
  async function another(store: OpenedStore, messageId?: string): Promise<Started> {
    await openRoute(store, "another");
    const turn = await startTurn(store, await store.acceptMessages([accepted("e3", "another")]));
    expect(await begin(store, turn)).toBe(true);
    if (messageId !== undefined) await posted(store, turn, messageId);
    return turn;
  }

  it("is replaced by the answer if its id is known, and searched for if it was lost", async () => {
    const { store, rows } = await begun(["e1", "e2"]);
    const turn = await startTurn(store, [rows[0]!]);
    expect(turn.started.preview).toBeUndefined();
    expect(await begin(store, turn)).toBe(true);
    expect(await posted(store, turn, "p1")).toBe(true);
    await finish(store, turn, "one");
    const one = await delivered(store);
    expect(one).toMatchObject({ replaces: "p1", lostPreviewOf: null });
    await store.settleDelivery(one.id, { state: "sent", messageIds: ["p1"] }, BOOT);

    const interrupted = await startTurn(store, [rows[1]!]);
    expect(await begin(store, interrupted)).toBe(true);
    await fail(store, interrupted, WAITING);
    const retried = await startTurn(store, [rows[1]!]);
    expect(retried.started.preview).toBeNull();
    await finish(store, retried, "two");
    const two = await delivered(store);
    expect(two).toMatchObject({ replaces: null, lostPreviewOf: "platform-e2" });
    await another(store, "p3");
    expect(await replaced(store, two.id, "p3")).toBe(false);
    expect(await replaced(store, two.id, "p2")).toBe(true);
    expect(await store.getDelivery(two.id)).toMatchObject({ replaces: "p2", lostPreviewOf: null });
  });

  it("isn't replaced by an answer whose chat has moved, and the answer quotes nothing", async () => {
    const { store, rows } = await begun();
    const turn = await startTurn(store, rows);
    await begin(store, turn);
    await posted(store, turn, "p1");
    await finish(store, turn, "one");
    await store.moveChat("test", rows[0]!.message.origin.chatId!, "moved");
    const target = { platform: "test", chatId: "moved", replyTo: null };
    expect(await delivered(store)).toMatchObject({ replaces: null, target });
  });

  it("leaves nothing if it was never posted", async () => {
    const { store, rows } = await begun();
    const turn = await startTurn(store, rows);
    await begin(store, turn);
    await posted(store, turn, null);
    await finish(store, turn, "one");
    expect(await delivered(store)).toMatchObject({ replaces: null, lostPreviewOf: null });
  });

  it("is left with its text when its turn ends without an answer, but not while its message waits", async () => {
    const { store, rows } = await begun(["e1", "e2"]);
    const [{ id }] = rows as [InboxRow, InboxRow];
    const settled = (owners?: string[]) => store.recordPreview({ step: "settled", inboxId: id, owners });
    const first = await startTurn(store, [rows[0]!]);
    await begin(store, first);
    await posted(store, first, "p1");
    await fail(store, first, WAITING, "half");
    expect(await store.leftPreviews({ since: 0 })).toEqual([]);
    expect(await settled()).toBe(false);
    await fail(store, await startTurn(store, [rows[0]!]), { state: "dead" });
    const left = {
      inboxId: id,
      messageId: "p1",
      text: "half",
      target: { chatId: "c1", replyTo: "platform-e1" },
    };
    expect(await store.leftPreviews({ since: 0, sessionKey: KEY })).toMatchObject([left]);
    expect(await store.leftPreviews({ since: Date.now() })).toEqual([]);
    expect(await store.leftPreviews({ since: 0, sessionKey: "another" })).toEqual([]);
    const elsewhere = ["account:cli:another"];
    expect(await store.leftPreviews({ since: 0 }, elsewhere)).toEqual([]);
    expect(await settled(elsewhere)).toBe(false);
    expect(await settled()).toBe(true);
    expect(await store.leftPreviews({ since: 0 })).toEqual([]);
  });

  it("that is looked for is taken only if it shows no other answer", async () => {
    const { store, rows } = await begun();
    const turn = await startTurn(store, rows);
    await begin(store, turn);
    await fail(store, turn, { state: "dead" });
    await another(store, "p3");
    const found = (messageId: string, owners?: string[]) =>
      store.recordPreview({ step: "found", inboxId: rows[0]!.id, messageId, owners });
    expect(await found("p3")).toBe(false);
    expect(await found("p1", ["account:cli:another"])).toBe(false);
    expect(await found("p1")).toBe(true);
    expect(await store.leftPreviews({ since: 0 })).toMatchObject([{ messageId: "p1" }]);
  });

  it("isn't posted before earlier replies of its session are sent", async () => {
    const { store, rows } = await begun(["e1", "e2"]);
    await finish(store, await startTurn(store, [rows[0]!]), "one");
    const turn = await startTurn(store, [rows[1]!]);
    expect(await begin(store, turn)).toBe(false);
    await another(store);
    const one = await delivered(store);
    expect(await begin(store, turn)).toBe(false);
    await store.settleDelivery(one.id, { state: "sent", messageIds: ["m"] }, BOOT);
    expect(await begin(store, turn)).toBe(true);
  });

  it("can't be written by a process that lost the turn", async () => {
    const { store, rows } = await begun();
    const old = await startTurn(store, rows);
    expect(await begin(store, old)).toBe(true);
    await store.recover("boot-2", 3, NOTICES);
    expect(await posted(store, old, "p-old")).toBe(false);
    expect(await begin(store, old)).toBe(false);
    const current = await startTurn(store, rows, "boot-2");
    expect(await posted(store, old, "p-old")).toBe(false);
    expect(await posted(store, current, "p-new")).toBe(false);
    expect(await posted(store, current, "p-new", "boot-2")).toBe(true);
    expect(await posted(store, old, null)).toBe(false);
    await finish(store, current, "one");
    const [answered] = await store.claimDeliveries("boot-2", 1);
    expect(answered).toMatchObject({ replaces: "p-new" });
    expect(await replaced(store, answered!.id, "p-old")).toBe(false);
    expect(await replaced(store, answered!.id, "p-found", "boot-2")).toBe(true);
  });

  it("that was posted after the answer was stored leaves no record", async () => {
    const { store, rows } = await begun();
    const turn = await startTurn(store, rows);
    await begin(store, turn);
    await finish(store, turn, "one");
    expect(await posted(store, turn, "p1")).toBe(false);
    expect(await store.leftPreviews({ since: 0 })).toEqual([]);
  });
});

describe("routes", () => {
  it("are opened once by concurrent callers", async () => {
    const { store } = await tempStore();
    await Promise.all(Array.from({ length: 5 }, () => openRoute(store)));
    expect((await store.listRoutes()).routes).toHaveLength(1);
    expect(await store.listSessions()).toHaveLength(1);
  });

  it("expire once, and not if the session has changed", async () => {
    const { store } = await begun();
    const { sessionId } = (await store.getRoute(KEY))!;
    expect(await expire(store, "another", "idle")).toEqual([]);
    const both = await Promise.all([expire(store, sessionId, "idle"), expire(store, sessionId, "daily")]);
    expect(both).toEqual([[KEY], []]);
    expect(await store.getRoute(KEY)).toMatchObject({ expiredReason: "idle", expiryFinalized: true });
    expect(await store.getSession(sessionId)).toMatchObject({ end_reason: "session_reset" });
  });

  it("move with a split or not at all", async () => {
    const { store } = await begun();
    const { sessionId, epoch } = (await store.getRoute(KEY))!;
    const split = { sessionKey: KEY, parentId: sessionId, messages: [{ role: "user", content: "kept" }] };
    expect(await store.splitRoute({ ...split, epoch: epoch - 1 })).toBeUndefined();
    const child = await store.splitRoute({ ...split, epoch });
    expect(await store.getRoute(KEY)).toMatchObject({ sessionId: child!.id, epoch: epoch + 1 });
    expect(await store.splitRoute({ ...split, epoch })).toBeUndefined();
    expect((await store.getLineage(sessionId)).tip).toBe(child!.id);
  });

  it("of another Hermes program are adopted once", async () => {
    const { store } = await tempStore();
    const origin = message("x").origin;
    const old = {
      sessionKey: KEY,
      sessionId: "old",
      origin,
      tuple: "t",
      createdAt: 1,
      updatedAt: 2,
      lastPromptTokens: 3,
    };
    const adopt = async (flags: object) => (await store.adopt({ routes: [{ ...old, flags }] })).routes;
    expect(await adopt({ suspended: true })).toBe(1);
    expect(await adopt({})).toBe(0);
    expect(await store.getRoute(KEY)).toMatchObject({
      sessionId: "old",
      suspended: true,
      lastUserActivity: 2,
    });
  });
});

describe("known chats", () => {
  it("have a route, are listed once, and are found by id or name", async () => {
    const { store } = await tempStore();
    const place = (platform: string, chatId: string, more: object) => ({
      sessionKey: `${platform}:${chatId}:${JSON.stringify(more)}`,
      sessionId: `${platform}-${chatId}`,
      origin: { platform, chatType: "group", chatId, ...more },
      tuple: "t",
      createdAt: 1,
      updatedAt: 5,
      lastPromptTokens: 0,
      flags: {},
    });
    const routes = [
      place("test", "c1", { chatType: "dm", userName: "Ann" }),
      place("test", "c2", { chatName: "#Ops", userId: "ann" }),
      place("test", "c2", { chatName: "#Ops", userId: "bob" }),
      place("test", "c2", { chatName: "#Ops", threadId: "7" }),
      place("other", "c1", { chatName: "Elsewhere" }),
    ];
    await store.adopt({ routes });
    await store.acceptMessages([accepted("e1")]);
    const places = async (called?: string) =>
      (
        await store.knownChats({ platform: "test", limit: 10, ...(called === undefined ? {} : { called }) })
      ).map(({ chatId, threadId, account }) => [chatId, threadId, account]);
    const all = await places();
    expect(all).toHaveLength(3);
    expect(all).toEqual(
      expect.arrayContaining([
        ["c1", null, "bot"],
        ["c2", "7", ""],
        ["c2", null, ""],
      ]),
    );
    expect(await places("@ann")).toEqual([["c1", null, "bot"]]);
    expect(await places("c1")).toEqual([["c1", null, "bot"]]);
    expect(await places("ops")).toHaveLength(2);
    expect(await places("nobody")).toEqual([]);
    expect(await store.knownChats({ limit: 2 })).toHaveLength(2);
  });
});

describe("deliveries", () => {
  it("are claimed in order, one at a time in a chat, by one claimer", async () => {
    const { store } = await tempStore();
    for (const text of ["1", "2", "3"])
      for (const chat of ["a", "b", "c"]) await store.enqueueReply(answer(text, chat));
    const order: Record<string, string[]> = { a: [], b: [], c: [] };
    for (let round = 0; round < 3; round += 1) {
      const boots = ["boot-1", "boot-2", "boot-3", "boot-4"];
      const claims = await Promise.all(boots.map((boot) => store.claimDeliveries(boot, 2)));
      const rows = claims.flat();
      expect(new Set(rows.map(({ id }) => id)).size).toBe(3);
      expect(rows).toHaveLength(3);
      for (const row of rows) {
        order[row.target.chatId!]!.push(row.text);
        const boot = boots[claims.findIndex((claimed) => claimed.includes(row))]!;
        await store.settleDelivery(row.id, { state: "sent", messageIds: ["m"] }, boot);
      }
    }
    expect(order).toEqual({ a: ["1", "2", "3"], b: ["1", "2", "3"], c: ["1", "2", "3"] });
    expect(await store.claimDeliveries(BOOT, 10)).toEqual([]);
  });

  it("with the same key are queued once, and report their state", async () => {
    const { store } = await tempStore();
    const id = await store.enqueueReply(answer("1"), "run-7");
    expect(await store.enqueueReply(answer("1"), "run-7")).toBe(id);
    expect(await store.enqueueReply(answer("1"), "run-8")).not.toBe(id);
    expect(await store.getDelivery(id)).toMatchObject({ state: "pending", messageIds: [], sentAt: null });
    await store.claimDeliveries(BOOT, 1);
    await store.settleDelivery(id, { state: "sent", messageIds: ["m1", "m2"] }, BOOT);
    expect(await store.getDelivery(id)).toMatchObject({ state: "sent", messageIds: ["m1", "m2"] });
    expect(await store.getDelivery(id + 99)).toBeUndefined();
  });

  it("of several parts keep the parts and the ids of each until all are sent", async () => {
    const { store } = await tempStore();
    const id = await store.enqueueReply(answer("long"));
    expect(await store.claimDeliveries(BOOT, 1)).toMatchObject([{ parts: null }]);
    const parts = [{ part: { text: "1" } }, { part: { text: "2" } }, { part: { text: "3" } }];
    expect(await store.saveParts(id, parts, BOOT)).toBe(true);
    const repeat = { state: "pending", waitSeconds: 0, error: "unknown", mayBeRepeat: true } as const;
    await store.settleDelivery(id, repeat, BOOT);
    expect(await store.claimDeliveries(BOOT, 1)).toMatchObject([{ parts, mayBeRepeat: true }]);
    await store.saveParts(id, { index: 0, ids: ["m1"] }, BOOT);
    await store.saveParts(id, { index: 1, ids: [] }, BOOT);
    const [, , third] = parts;
    const stored = [{ ...parts[0], ids: ["m1"] }, { ...parts[1], ids: [] }, third];
    const { unsettled } = await store.recover("boot-2", 3, NOTICES);
    expect(unsettled).toMatchObject([{ parts: stored, mayBeRepeat: false }]);
    // The first process has lost its claim, even if it is still running.
    expect(await store.saveParts(id, { index: 2, ids: ["m9"] }, BOOT)).toBe(false);
    expect(await store.saveParts(id, [], BOOT)).toBe(false);
    expect(await store.getDelivery(id)).toMatchObject({ parts: stored });
    expect(await store.getDelivery(id)).toMatchObject({ messageIds: ["m1"] });
    await store.settleDelivery(id, { state: "sent", messageIds: ["m1", "m3"] }, "boot-2");
    expect(await store.getDelivery(id)).toMatchObject({ messageIds: ["m1", "m3"], parts: null });
  });

  it("that wait for their time hold back the chat, not the others", async () => {
    const { store, file } = await tempStore();
    const first = await store.enqueueReply(answer("1", "a"));
    await store.enqueueReply(answer("2", "a"));
    await store.enqueueReply(answer("1", "b"));
    await store.claimDeliveries(BOOT, 1);
    const later = {
      state: "pending",
      waitSeconds: 1000,
      error: "slow down",
      mayBeRepeat: false,
    } as const;
    await store.settleDelivery(first, later, BOOT);
    expect(await store.claimDeliveries(BOOT, 10)).toMatchObject([{ target: { chatId: "b" } }]);
    const db = new Database(file);
    db.prepare("UPDATE gw_outbox SET not_before = 0 WHERE id = ?").run(first);
    db.close();
    expect(await store.claimDeliveries(BOOT, 10)).toMatchObject([
      { id: first, attempts: 2, mayBeRepeat: false },
    ]);
  });

  it("that were interrupted by a crash are returned until they are settled", async () => {
    const { store } = await tempStore();
    const id = await store.enqueueReply(answer("1"));
    await store.claimDeliveries(BOOT, 1);
    expect((await store.recover(BOOT, 3, NOTICES)).unsettled).toEqual([]);
    expect((await store.recover("boot-2", 3, NOTICES)).unsettled).toMatchObject([{ id }]);
    expect((await store.recover("boot-3", 3, NOTICES)).unsettled).toMatchObject([{ id }]);
    await store.settleDelivery(
      id,
      { state: "pending", waitSeconds: 0, error: "unknown", mayBeRepeat: true },
      "boot-3",
    );
    expect(await store.claimDeliveries("boot-3", 1)).toMatchObject([{ id, mayBeRepeat: true }]);
  });

  it("are in the chat's log after they were sent", async () => {
    const { store, rows } = await begun();
    expect(await finish(store, await startTurn(store, rows), "hello")).toEqual([]);
    expect((await store.chatLog("test", "c1", 10)).map(({ text }) => text)).toEqual(["e1"]);
    const [delivery] = await store.claimDeliveries(BOOT, 1);
    await store.settleDelivery(delivery!.id, { state: "sent", messageIds: ["m1"] }, BOOT);
    expect(await store.chatLog("test", "c1", 10)).toMatchObject([
      { id: `in:${rows[0]!.id}`, from: "user", text: "e1" },
      { id: `out:${delivery!.id}`, from: "bot", kind: "answer", text: "hello" },
    ]);
    expect(await store.chatLog("test", "another", 10)).toEqual([]);
  });
});

describe("a file without a newer column", () => {
  it("gets the column", async () => {
    const file = path.join(tempDir(), "state.db");
    await (await openStore({ path: file, threads: false })).close();
    const old = new Database(file);
    old.exec("ALTER TABLE gw_outbox DROP COLUMN files");
    old.close();
    const { store } = await tempStore(file);
    const files = [{ name: "a.txt", path: "media/sent/1", mimeType: "text/plain", bytes: 1 }];
    const id = await store.enqueueReply({ ...answer("see"), files });
    expect(await store.getDelivery(id)).toMatchObject({ text: "see", files });
  });
});

describe("after a crash", () => {
  it("a running message waits again, and is dead after the third attempt", async () => {
    const { store, rows } = await begun();
    for (const boot of ["b1", "b2"]) {
      await startTurn(store, rows, boot);
      expect(await store.recover(`${boot} is over`, 3, NOTICES)).toMatchObject({ waiting: 1, dead: [] });
    }
    await startTurn(store, rows, "b3");
    expect(await store.recover("b4", 3, NOTICES)).toMatchObject({
      waiting: 0,
      dead: [{ id: rows[0]!.id, attempts: 3 }],
    });
    expect((await store.reports.deadPage({})).letters).toMatchObject([
      { id: `in:${rows[0]!.id}`, attempts: 3, text: "e1", chatId: "c1" },
    ]);
  });

  it("messages of this boot are not changed", async () => {
    const { store, file, rows } = await begun();
    await startTurn(store, rows);
    expect(await store.recover(BOOT, 3, NOTICES)).toMatchObject({ waiting: 0, dead: [] });
    expect(statesOf(file, "gw_inbox")).toEqual(["running"]);
  });
});

describe("dead letters", () => {
  it("are retried one by one or all together", async () => {
    const { store, rows } = await begun(["e1", "e2"]);
    const turn = await startTurn(store, rows);
    const { turnId, inboxIds } = turn;
    await store.failTurn({
      turnId,
      sessionKey: KEY,
      inboxIds,
      error: "no",
      next: { state: "dead" },
      replies: [],
    });
    const sent = await store.enqueueReply(answer("lost"));
    await store.claimDeliveries(BOOT, 1);
    await store.settleDelivery(sent, { state: "dead", error: "blocked" }, BOOT);
    expect((await store.reports.deadPage({})).letters).toHaveLength(3);
    const retried = async (id?: string) => (await store.retry(id === undefined ? {} : { id })).retried;
    expect(await retried(`in:${rows[0]!.id}`)).toBe(1);
    expect(await store.openMessages()).toMatchObject([{ id: rows[0]!.id, attempts: 0 }]);
    expect(await retried("in:999")).toBe(0);
    expect(await retried()).toBe(2);
    expect((await store.reports.deadPage({})).letters).toEqual([]);
    expect(await store.claimDeliveries(BOOT, 10)).toMatchObject([{ id: sent, mayBeRepeat: true }]);
  });
});

describe("a trace", () => {
  it("finds a message by its row, its event, its platform id and the id of its answer", async () => {
    const { store, rows } = await begun();
    const turn = await startTurn(store, rows);
    await finish(store, turn, "hello");
    const [delivery] = await store.claimDeliveries(BOOT, 1);
    await store.settleDelivery(delivery!.id, { state: "sent", messageIds: ["m-77"] }, BOOT);
    const { id } = rows[0]!;
    for (const reference of [`in:${id}`, String(id), "e1", "platform-e1", `out:${delivery!.id}`, "m-77"]) {
      const [trace] = await store.reports.traceMessage(reference);
      expect(trace, reference).toMatchObject({
        inbox: { id, state: "done" },
        turnId: turn.turnId,
        sessionId: turn.started.session.id,
        deliveries: [{ text: "hello", state: "sent", messageIds: ["m-77"] }],
      });
      expect(trace!.steps.map(({ what }) => what)).toContain("answer sent");
    }
    expect(await store.reports.traceMessage("nothing")).toEqual([]);
  });
});

describe("pruning", () => {
  it("removes old finished rows and keeps open and dead ones", async () => {
    const { store, file, rows } = await begun(["e1", "e2", "e3"]);
    await finish(store, await startTurn(store, [rows[0]!]), "hello");
    const { turnId, inboxIds } = await startTurn(store, [rows[1]!]);
    await store.failTurn({
      turnId,
      sessionKey: KEY,
      inboxIds,
      error: "no",
      next: { state: "dead" },
      replies: [],
    });
    const [delivery] = await store.claimDeliveries(BOOT, 1);
    await store.settleDelivery(delivery!.id, { state: "sent", messageIds: [] }, BOOT);
    await store.enqueueReply(answer("pending"));
    expect(await store.pruneQueues(1000)).toBe(0);
    expect(await store.pruneQueues(-1)).toBe(2);
    expect(statesOf(file, "gw_inbox")).toEqual(["dead", "waiting"]);
    expect(statesOf(file, "gw_outbox")).toEqual(["pending"]);
  });
});

describe("pairing", () => {
  const pairing = (id: string, userId: string, age = 0) => ({
    id,
    platform: "test",
    userId,
    userName: null,
    hash: `hash-${id}`,
    salt: "00",
    createdAt: Date.now() / 1000 - age,
  });

  it("enforces its limits within the write", async () => {
    const { store } = await tempStore();
    const asked = await Promise.all(
      ["a", "b", "c", "d"].map((id) => store.addPairing(pairing(`p-${id}`, `user-${id}`))),
    );
    expect(asked.map(({ ok }) => ok)).toEqual([true, true, true, false]);
    expect(asked[3]).toMatchObject({ reason: "too_many_pending" });
    expect(await store.addPairing(pairing("p-e", "user-a"))).toMatchObject({ reason: "too_soon" });
    await store.settlePairing({ platform: "test", failures: 0, lockedUntil: Date.now() / 1000 + 60 });
    expect(await store.addPairing(pairing("p-f", "user-f"))).toMatchObject({ reason: "locked_out" });
    expect((await store.pairingState("test")).pending).toHaveLength(3);
  });

  it("replaces a person's older request and stores the time", async () => {
    const { store } = await tempStore();
    await store.addPairing(pairing("p1", "ann", 700));
    await store.addPairing(pairing("p2", "ann"));
    await store.addPairing(pairing("p3", "bob"));
    expect((await store.pairingState("test")).pending.map(({ id }) => id)).toEqual(["p2", "p3"]);
    expect((await store.pairingState("test", ["ann"])).lastRequestAt).not.toBeNull();
    expect((await store.pairingState("test", ["cid"])).lastRequestAt).toBeNull();
    expect((await store.pairingState("other")).pending).toEqual([]);
  });

  it("is approved once, forgets the code, and can be revoked", async () => {
    const { store, file } = await tempStore();
    await store.addPairing(pairing("p1", "ann"));
    await store.settlePairing({ platform: "test", failures: 3, lockedUntil: null });
    expect((await store.pairingState("test", ["ann"])).isPaired).toBe(false);
    expect(await store.settlePairing({ id: "p1", approved: true })).toBe(true);
    expect(await store.settlePairing({ id: "p1", approved: true })).toBe(false);
    expect((await store.pairingState("test", ["nobody", "ann"])).isPaired).toBe(true);
    expect((await store.pairingState("other", ["ann"])).isPaired).toBe(false);
    expect((await store.pairingState("test", [])).isPaired).toBe(false);
    expect(await store.pairingState("test", ["ann"])).toMatchObject({ failures: 0, pending: [] });
    expect(rowsOf(file, "SELECT hash, salt FROM gw_pairing")).toEqual([{ hash: null, salt: null }]);
    expect(await store.settlePairing({ platform: "test", revoked: "ann" })).toBe(true);
    expect((await store.pairingState("test", ["ann"])).isPaired).toBe(false);
  });

  it("is locked after too many wrong codes", async () => {
    const { store } = await tempStore();
    await store.settlePairing({ platform: "test", failures: 0, lockedUntil: 5000 });
    expect(await store.pairingState("test", ["ann"])).toMatchObject({ lockedUntil: 5000, failures: 0 });
    expect(await store.pairingState("other", ["ann"])).toMatchObject({ lockedUntil: null });
  });
});

describe("a file with older tables", () => {
  it("gets the missing columns and keeps its rows", async () => {
    const { store, file } = await tempStore();
    const id = await store.enqueueReply(answer("from before"));
    await store.close();
    const db = new Database(file);
    db.exec("ALTER TABLE gw_outbox DROP COLUMN trace_id");
    db.close();
    const again = await openStore({ path: file, threads: false });
    onTestFinished(() => again.close());
    await again.enqueueReply({ ...answer("from now"), traceId: "0af7651916cd43dd8448eb211c80319c" });
    const [before] = await again.claimDeliveries(BOOT, 10);
    expect(before).toMatchObject({
      id,
      text: "from before",
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    await again.settleDelivery(id, { state: "sent", messageIds: [] }, BOOT);
    const [now] = await again.claimDeliveries(BOOT, 10);
    expect(now).toMatchObject({ text: "from now", traceId: "0af7651916cd43dd8448eb211c80319c" });
  });
});
