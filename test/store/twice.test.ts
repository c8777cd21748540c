import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { type InboundMessage, targetOf } from "../../src/message.js";
import type { ErasurePlan } from "../../src/store/people.js";
import type { InboxRow, OutboxRow, StartedTurn } from "../../src/store/queues.js";
import type { OpenedStore } from "../../src/store/sqlite/index.js";
import { modes } from "../../src/store/sqlite/verbs.js";
import { inboundMessage } from "../support/inbound-message.js";
import { tempStore } from "../support/temp.js";

/** The reply to a write may be lost, so its caller may give it again. Every write verb is given twice here. */

const KEY = "agent:main:test:dm:1";
const OTHER_KEY = "agent:main:test:dm:2";
const BOOT = "boot";
const NOTICES = { dead: "I gave up.", interrupted: "I was interrupted." };
const AT = 1_780_000_000;

const message = (eventId: string, chatId = "1", more: Partial<InboundMessage> = {}) =>
  inboundMessage({
    eventId,
    text: eventId,
    origin: { platform: "test", chatType: "dm", chatId, userId: "ann", messageId: `m-${eventId}` },
    ...more,
  });
const TARGET = targetOf(message("x"));
const AUTHOR = { platform: "test", userId: "ann", userName: "Ann" };
const reply = (text: string) => ({ target: TARGET, kind: "answer" as const, text });
const schedule = (id: string) => ({
  ...{ id, name: `name of ${id}`, prompt: "?", when: { kind: "once", at: AT }, timeZone: null },
  ...{ missed: "run" as const, target: null, deliver: "local", maker: null, nextAt: AT, createdAt: AT },
});

/** A chat with a session, an answered turn, a running one with a question that waits, and a send under way. */
interface Scene {
  store: OpenedStore;
  turn: StartedTurn;
  running: InboxRow;
  waiting: InboxRow;
  command: InboxRow;
  sending: OutboxRow;
  plan: ErasurePlan;
}

const route = (sessionKey: string, id: string) => ({
  ...{ sessionKey, origin: message("x").origin, tuple: JSON.stringify(["test", "dm", sessionKey]) },
  ...{ session: { id, source: "test", user_id: "ann" }, expectedSessionId: null },
  ...{ endReason: "session_reset" as const, at: AT },
});

async function scene(): Promise<{ scene: Scene; file: string }> {
  const { store, file } = await tempStore();
  await store.switchRoute(route(KEY, "s1"));
  const accept = async (one: InboundMessage, sessionKey = KEY) =>
    (await store.acceptMessages([{ message: one, sessionKey, receivedAt: AT }]))[0]!;
  const first = await accept(message("first"));
  const done = await store.startTurn({
    ...{ sessionKey: KEY, inboxIds: [first.id], bootId: BOOT, turnId: "t1", at: AT },
  });
  await store.finishTurn({
    ...{ turnId: "t1", sessionKey: KEY, sessionId: "s1", epoch: done!.epoch, inboxIds: [first.id] },
    ...{ messages: [{ role: "user" as const, content: "first" }], usage: {}, participants: [] },
    replies: [reply("answer 1")],
  });
  const [sending] = await store.claimDeliveries(BOOT, 1);
  await store.addSchedule(schedule("a"), 9);
  await store.createSession({ id: "s2", source: "test" });
  const running = await accept(message("running"));
  const command = await accept(message("/status", "2"), OTHER_KEY);
  const turn = await store.startTurn({
    ...{ sessionKey: KEY, inboxIds: [running.id], bootId: BOOT, turnId: "t2", at: AT },
  });
  const waiting = await accept(message("waiting"));
  const plan = await store.planErasure({ platform: "test", userId: "ann" });
  return { scene: { store, turn: turn!, running, waiting, command, sending: sending!, plan }, file };
}

const finish = ({ turn, running }: Scene) => ({
  ...{ turnId: "t2", sessionKey: KEY, sessionId: "s1", epoch: turn.epoch, inboxIds: [running.id] },
  messages: [
    { role: "user" as const, content: "running" },
    { role: "assistant" as const, content: "answer 2" },
  ],
  usage: { input_tokens: 10 },
  participants: [{ platform: "test", userId: "ann" }],
  replies: [reply("answer 2")],
});

const fail = ({ turn, running }: Scene, state: "dead" | "waiting") => ({
  ...{ turnId: "t2", sessionKey: KEY, inboxIds: [running.id], error: "no", replies: [reply("sorry")] },
  next: state === "dead" ? { state } : { state, waitSeconds: 60 },
  unanswered: {
    ...{ sessionId: "s1", epoch: turn.epoch, participants: [] },
    questions: [
      {
        inboxId: running.id,
        messages: [{ role: "user" as const, content: "running" }],
        author: { platform: "test", userId: "ann", userName: "Ann" },
      },
    ],
  },
});

const pairing = {
  id: "p",
  platform: "test",
  userId: "eve",
  userName: null,
  hash: "h",
  salt: "s",
  createdAt: AT,
};

const CALLER = {
  ...{ platform: "test", userId: "ann", userName: "Ann" },
  ...{ sessionKey: KEY, sessionId: "s1", chatId: "1" },
};

const QUESTION = {
  ...{ id: "q1", kind: "clarify" as const, sessionKey: KEY, text: "Which?", acceptsText: true },
  ...{ choices: [{ id: "a", label: "A" }], asked: { platform: "test", userId: "ann" }, timeoutSeconds: 60 },
  message: { target: TARGET, kind: "command" as const, text: "Which?" },
};

/** What is called for each write verb. `same`: the second answer is the first one. */
const CALLS: Record<string, { call: (scene: Scene) => Promise<unknown>; same?: true }> = {
  acceptMessages: {
    call: ({ store }) =>
      store.acceptMessages([
        {
          ...{
            message: message("new", "3"),
            sessionKey: "k3",
            receivedAt: AT,
            cursor: { name: "c", value: "1" },
          },
          guard: { tuple: '["test","dm","3"]', otherKey: "k3~" },
        },
      ]),
  },
  acceptTurn: {
    call: ({ store }) =>
      store.acceptTurn(
        { message: message("new", "3"), sessionKey: "k3", receivedAt: AT },
        {
          ...{ bootId: BOOT, turnId: "t9", at: AT, expected: null },
          open: {
            ...{ origin: message("x", "3").origin, tuple: '["test","dm","3"]', memoryFlush: true },
            session: { id: "s9", source: "test", user_id: "ann" },
          },
        },
      ),
  },
  changeMessage: {
    call: ({ store, waiting }) =>
      store.changeMessage({
        ...{ platform: "test", account: "bot", chatId: "1", messageId: waiting.message.origin.messageId! },
        text: "changed",
      }),
    same: true,
  },
  cancelMessages: { call: ({ store }) => store.cancelMessages({ sessionKey: KEY, reason: "stopped" }) },
  recordStep: {
    call: ({ store }) =>
      store.recordStep({
        ...{ turnId: "t2", bootId: BOOT, position: 0, caller: CALLER },
        entries: [{ message: { role: "assistant", content: "" }, usage: { inputTokens: 1 } }],
        calls: [{ id: "t2.0.0", callId: "c", tool: "todo", arguments: "{}" }],
        starting: "t2.0.0",
      }),
    same: true,
  },
  recordAttempts: {
    call: ({ store }) =>
      store.recordAttempts([
        {
          ...{ turnId: "t2", inboxId: 1, platform: "test", model: "m", outcome: "answered", error: null },
          ...{ receivedAt: AT, startedAt: AT, endedAt: AT + 1, requests: [] },
        },
      ]),
    same: true,
  },
  setGrant: { call: ({ store }) => store.setGrant({ sessionId: "s1" }, "*", "test:ann") },
  askQuestion: { call: ({ store }) => store.askQuestion(QUESTION), same: true },
  decideQuestion: {
    call: async ({ store }) => {
      await store.askQuestion(QUESTION);
      return store.decideQuestion("q1", { state: "expired" });
    },
  },
  "decideQuestion: shown": { call: ({ store }) => store.decideQuestion("q1", "shown"), same: true },
  startMessage: {
    call: ({ store, command }) =>
      store.startMessage({ inboxId: command.id, bootId: BOOT, command: "status" }),
  },
  settleMessage: {
    call: ({ store, command }) =>
      store.settleMessage({
        ...{ inboxId: command.id, state: "done", reason: "/status", replies: [reply("fine")] },
        follow: { message: message("follow", "2"), sessionKey: OTHER_KEY, receivedAt: AT },
      }),
  },
  "switchRoute: a new session": {
    call: ({ store }) => store.switchRoute(route(OTHER_KEY, "s3")),
    same: true,
  },
  switchRoute: {
    call: ({ store }) => store.switchRoute({ sessionKey: KEY, sessionId: "s2", endReason: "session_switch" }),
  },
  closeChat: {
    call: ({ store }) =>
      store.closeChat({
        ...{ platform: "test", account: "other", sessionKey: KEY, reason: "closed", endReason: "cli_close" },
      }),
    same: true,
  },
  setRouteChoice: { call: ({ store }) => store.setRouteChoice(KEY, { model: "big" }), same: true },
  splitRoute: {
    call: ({ store, turn }) =>
      store.splitRoute({ sessionKey: KEY, epoch: turn.epoch, parentId: "s1", messages: [] }),
  },
  adopt: {
    call: ({ store }) =>
      store.adopt({
        routes: [
          {
            ...{ sessionKey: "k4", sessionId: "s4", origin: message("x", "4").origin, tuple: "[]" },
            ...{ createdAt: AT, updatedAt: AT, lastPromptTokens: 0, flags: {} },
          },
        ],
        people: [{ platform: "test", userId: "bob", userName: null, approvedAt: AT }],
      }),
  },
  "moveChat: to an heir": {
    call: ({ store }) => store.moveChat("test", "gone", { id: "x", sessionKey: "k5" }),
    same: true,
  },
  "moveChat: to a person": { call: ({ store }) => store.moveChat("test", "1", { person: "zoe" }) },
  moveChat: { call: ({ store }) => store.moveChat("test", "1", "9") },
  settleDueRoutes: {
    call: ({ store, turn }) =>
      store.settleDueRoutes({
        rules: "rules",
        expired: [{ sessionKey: OTHER_KEY, sessionId: "s1", reason: "idle" }],
        postponed: [{ sessionKey: KEY, epoch: turn.epoch, dueAt: 0, until: AT }],
      }),
    same: true,
  },
  markTranscript: { call: ({ store }) => store.markTranscript("s1", false), same: true },
  startTurn: {
    call: ({ store, waiting }) =>
      store.startTurn({ sessionKey: KEY, inboxIds: [waiting.id], bootId: BOOT, turnId: "t3", at: AT }),
    same: true,
  },
  "startTurn: taken over": {
    call: async ({ store, waiting }) => {
      await store.setRouteChoice(KEY, { humanUntil: Number.MAX_SAFE_INTEGER });
      const keep = [
        { inboxId: waiting.id, messages: [{ role: "user", content: "waiting" }], author: AUTHOR },
      ];
      return store.startTurn({
        ...{ sessionKey: KEY, inboxIds: [waiting.id], bootId: BOOT, turnId: "t3", at: AT, keep },
      });
    },
    same: true,
  },
  "startMessage: a task": {
    call: ({ store, waiting }) =>
      store.startMessage({ inboxId: waiting.id, bootId: BOOT, turnId: "t4", sessionId: "s1" }),
    same: true,
  },
  finishTurn: {
    call: (one) => one.store.finishTurn({ ...finish(one), claim: { bootId: BOOT } }),
    same: true,
  },
  failTurn: { call: (one) => one.store.failTurn(fail(one, "dead")), same: true },
  recover: { call: ({ store }) => store.recover("next boot", 3, NOTICES) },
  retry: { call: ({ store }) => store.retry({ sessionKey: KEY }), same: true },
  "retry: all dead ones": { call: ({ store }) => store.retry({}), same: true },
  "cancelMessages: dead ones": {
    call: async (one) => {
      await one.store.failTurn(fail(one, "dead"));
      return one.store.cancelMessages({ dead: [`in:${one.running.id}`] });
    },
  },
  pruneQueues: { call: ({ store }) => store.pruneQueues(1000) },
  "retry: misdated": { call: ({ store }) => store.retry("misdated"), same: true },
  enqueueReply: { call: ({ store }) => store.enqueueReply(reply("note"), "key"), same: true },
  "enqueueReply: as a human": {
    call: async ({ store }) => {
      await store.setRouteChoice(KEY, { humanUntil: Number.MAX_SAFE_INTEGER });
      return store.enqueueReply({ ...reply("I am here"), asHuman: { sessionId: "s1", until: AT } }, "key");
    },
    same: true,
  },
  settleDelivery: {
    call: ({ store, sending }) =>
      store.settleDelivery(sending.id, { state: "sent", messageIds: ["m1"] }, BOOT),
    same: true,
  },
  saveParts: {
    call: ({ store, sending }) =>
      store.saveParts(sending.id, [{ part: { text: "1" } }, { part: { text: "2" } }], BOOT),
    same: true,
  },
  recordPreview: {
    call: async ({ store, running }) => {
      const claim = { inboxId: running.id, turnId: "t2", bootId: BOOT };
      const began = await store.recordPreview({ step: "begin", ...claim });
      return [began, await store.recordPreview({ step: "posted", messageId: "m7", ...claim })];
    },
    same: true,
  },
  setValue: {
    call: ({ store }) => store.setValue({ platform: "test", account: "bot", name: "c" }, "5"),
    same: true,
  },
  addPairing: { call: ({ store }) => store.addPairing(pairing), same: true },
  "setTitle: suggested": { call: ({ store }) => store.setTitle("s1", "A title", "suggested") },
  "markTranscript: complete": { call: ({ store }) => store.markTranscript("s1", true), same: true },
  "saveParts: one": {
    call: async ({ store, sending }) => {
      await store.saveParts(sending.id, [{ part: { text: "1" } }, { part: { text: "2" } }], BOOT);
      return store.saveParts(sending.id, { index: 0, ids: ["m1"] }, BOOT);
    },
    same: true,
  },
  "settleDueRoutes: expired": {
    call: ({ store }) =>
      store.settleDueRoutes({
        ...{ rules: "", postponed: [], expired: [{ sessionKey: KEY, sessionId: "s1", reason: "idle" }] },
      }),
  },
  "settlePairing: a wrong code": {
    call: ({ store }) => store.settlePairing({ platform: "test", failures: 1, lockedUntil: null }),
    same: true,
  },
  settlePairing: { call: ({ store }) => store.settlePairing({ id: "p", approved: true }) },
  "settlePairing: revoked": {
    call: ({ store }) => store.settlePairing({ platform: "test", revoked: "eve" }),
  },
  addSchedule: { call: ({ store }) => store.addSchedule(schedule("b"), 9), same: true },
  changeSchedule: {
    call: ({ store }) =>
      store.changeSchedule("a", { state: "done", nextAt: null, skipped: { tick: AT, reason: "late" } }),
    same: true,
  },
  "changeSchedule: remove": { call: ({ store }) => store.changeSchedule("a", "remove") },
  "setTitle: numbered": { call: ({ store }) => store.setTitle("s1", "A title", "numbered"), same: true },
  saveRecord: {
    call: ({ store }) =>
      store.saveRecord({ platform: "test", kind: "device", owner: "ann", id: "d", value: { label: "x" } }),
    same: true,
  },
  removeRecords: { call: ({ store }) => store.removeRecords({ platform: "test", owner: "ann" }), same: true },
  "switchRoute: a fork": {
    call: ({ store }) =>
      store.switchRoute({
        ...{ sessionKey: KEY, sessionId: "s1", endReason: "session_switch" },
        copy: { id: "f1", before: 1 },
      }),
  },
  "deleteSessions: of a chat": {
    call: ({ store }) =>
      store.deleteSessions(["s1"], { chat: KEY, owner: { platform: "test", userId: "ann" } }),
  },
  setTitle: { call: ({ store }) => store.setTitle("s1", "A title"), same: true },
  deleteSessions: { call: ({ store }) => store.deleteSessions(["s2"]) },
  pruneSessions: { call: ({ store }) => store.pruneSessions({ olderThanDays: 1 }) },
  erasePerson: {
    call: async ({ store, plan }) => {
      await store.erasePerson(plan, "data");
      await store.erasePerson(plan, "marks");
    },
    same: true,
  },
};

/** A second call is a new wish: there is nothing that could tell it from a repeat. */
const REPEATS: Record<string, string> = {
  undoTurns: "takes back the turns before",
  claimDeliveries: "claims the next rows",
};

/** Beside the contract: parts of other verbs, of maintenance, and of tests. */
const INTERNAL = [
  ...["addParticipant", "addUsage", "appendMessages", "createSession", "endSession", "reopenSession"],
  ...["setRouteFlags", "splitSession", "importBatch", "linkParents"],
  ...["mergeFullText", "optimizeFullText", "rebuildDerived", "scrubbed", "shrink"],
];

/** Every row, without the times that a second call may move on by milliseconds. */
function contents(file: string): Record<string, unknown[]> {
  const db = new Database(file, { readonly: true });
  try {
    const tables = db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_fts%' ESCAPE '\\'")
      .pluck()
      .all() as string[];
    const untimed = (row: Record<string, unknown>) =>
      Object.fromEntries(
        Object.entries(row).filter(
          ([name, value]) =>
            !(/_at$|^at$|^until$|^not_before$|^timestamp$|activity$/.test(name) && value !== null),
        ),
      );
    return Object.fromEntries(
      tables
        .filter((name) => name !== "state_meta" && name !== "sqlite_sequence")
        .map((name) => [
          name,
          (db.prepare(`SELECT * FROM ${name}`).all() as Record<string, unknown>[]).map(untimed),
        ]),
    );
  } finally {
    db.close();
  }
}

const timeless = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (name, part: unknown) =>
      /At$|^waitSeconds$|^withdrawnFrom$|^updatedAt$|^lastUserActivity$/.test(name) ? undefined : part,
    ),
  );

describe("given twice", () => {
  it("covers every verb that writes", () => {
    const writes = Object.entries(modes).flatMap(([name, mode]) => (/write$/i.test(mode) ? [name] : []));
    const called = Object.keys(CALLS).map((name) => name.split(":", 1)[0]!);
    const known = new Set([...called, ...Object.keys(REPEATS), ...INTERNAL]);
    expect(writes.toSorted()).toEqual([...known].toSorted());
  });

  it.each(Object.keys(CALLS))("%s changes nothing more", async (name) => {
    const { call, same } = CALLS[name]!;
    const { scene: one, file } = await scene();
    const first = await call(one);
    const before = contents(file);
    const second = await call(one);
    expect(withoutEpochs(contents(file))).toEqual(withoutEpochs(before));
    if (same) expect(timeless(second)).toEqual(timeless(first));
  });

  it("failTurn answers the same also for a message that waits again", async () => {
    const { scene: one } = await scene();
    expect(await one.store.failTurn(fail(one, "waiting"))).toEqual({ kept: true });
    expect(await one.store.failTurn(fail(one, "waiting"))).toEqual({ kept: true });
    expect(await one.store.getMessages("s1")).toHaveLength(2);
  });

  it("finishTurn appends its messages once, also where the turn ended its session", async () => {
    const { scene: one } = await scene();
    const given = { ...finish(one), end: "cron_complete" as const };
    expect(await one.store.finishTurn(given)).toEqual([]);
    expect(await one.store.finishTurn(given)).toEqual([]);
    expect(await one.store.getMessages("s1")).toHaveLength(3);
  });
});

/** Pointing a chat at a session again raises the epoch again: that only fences off older turns. */
function withoutEpochs(tables: Record<string, unknown[]>): Record<string, unknown> {
  const routes = (tables.gw_routes as { epoch: number }[]).map(({ epoch: _, ...row }) => row);
  return { ...tables, gw_routes: routes };
}

describe("claims", () => {
  it("keep a boot from settling what another one sends", async () => {
    const { scene: one } = await scene();
    const outcome = { state: "dead" as const, error: "no" };
    await one.store.settleDelivery(one.sending.id, outcome, "another boot");
    expect(await one.store.getDelivery(one.sending.id)).toMatchObject({ state: "sending" });
    await one.store.recover("next boot", 3, NOTICES);
    await one.store.settleDelivery(one.sending.id, outcome, BOOT);
    expect(await one.store.getDelivery(one.sending.id)).toMatchObject({ state: "sending" });
    await one.store.settleDelivery(one.sending.id, outcome, "next boot");
    expect(await one.store.getDelivery(one.sending.id)).toMatchObject({ state: "dead" });
  });

  it("of an interrupted send pass to every next boot", async () => {
    const { scene: one } = await scene();
    for (const boot of ["b2", "b3"])
      expect((await one.store.recover(boot, 3, NOTICES)).unsettled).toMatchObject([{ id: one.sending.id }]);
  });
});

describe("session keys", () => {
  it("belong to the first chat that gets them", async () => {
    const { store } = await tempStore();
    const accept = async (eventId: string, tuple: string) => {
      const guard = { tuple, otherKey: `k~${tuple}` };
      const [row] = await store.acceptMessages([
        { message: message(eventId), sessionKey: "k", receivedAt: AT, guard },
      ]);
      return row!.sessionKey;
    };
    expect(await Promise.all([accept("1", "a"), accept("2", "b"), accept("3", "a")])).toEqual([
      "k",
      "k~b",
      "k",
    ]);
    expect(await accept("4", "b")).toBe("k~b");
  });
});

it("a reply that clients fetch is sent by its commit, and a repeated call returns it again", async () => {
  const { scene: made } = await scene();
  const given = { ...finish(made), claim: { bootId: BOOT, sends: true } };
  const [first] = (await made.store.finishTurn(given))!;
  expect(first).toMatchObject({ text: "answer 2", state: "sent", attempts: 1 });
  expect(await made.store.finishTurn(given)).toEqual([first]);
  expect(await made.store.getDelivery(first!.id)).toMatchObject({
    state: "sent",
    sentAt: expect.any(Number),
  });
  expect(await made.store.claimDeliveries(BOOT, 10)).toEqual([]);
});
