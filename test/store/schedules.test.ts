import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { InboundMessage, Target } from "../../src/message.js";
import type { NewSchedule } from "../../src/store/schedules.js";
import type { Store } from "../../src/store/store.js";
import { tempStore } from "../support/temp.js";

const TARGET: Target = {
  platform: "test",
  account: "bot",
  chatType: "group",
  chatId: "c1",
  threadId: null,
  userId: null,
  replyTo: null,
};

const schedule = (name: string, more: Partial<NewSchedule> = {}): NewSchedule => ({
  id: `id-${name}`,
  name,
  prompt: "ask",
  when: { kind: "every", seconds: 60, from: 100 },
  timeZone: null,
  missed: "run",
  deliver: "local",
  target: null,
  maker: null,
  nextAt: 100,
  createdAt: 1,
  ...more,
});

/** The message of a tick, as the adapter would bring it. */
function run(scheduleId: string, tick: number, nextAt: number | null): InboundMessage {
  return {
    platform: "cron",
    account: "cron",
    eventId: `${scheduleId}@${tick}`,
    origin: { platform: "cron", chatType: "dm", chatId: scheduleId, threadId: String(tick) },
    text: "ask",
    attachments: [],
    sentAt: tick,
    mentioned: true,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: true,
    task: { run: { scheduleId, tick, nextAt } },
  };
}

const accept = (store: Store, message: InboundMessage) =>
  store.acceptMessages([{ message, sessionKey: `k:${message.eventId}`, receivedAt: 1 }]);

const runsOf = async (store: Store, runs: number) =>
  (await store.listSchedules({ called: "id-a", runs }))[0]!.runs!;

describe("schedules", () => {
  it("have unique names and a maximum number", async () => {
    const { store } = await tempStore();
    await store.addSchedule(schedule("News"), 2);
    await expect(store.addSchedule(schedule("news", { id: "other" }), 2)).rejects.toMatchObject({
      code: "conflict",
    });
    await store.addSchedule(schedule("tea"), 2);
    await expect(store.addSchedule(schedule("more"), 2)).rejects.toMatchObject({ code: "refused" });
    expect((await store.listSchedules({ called: "NEWS" }))[0]?.id).toBe("id-News");
    expect((await store.listSchedules({ called: "id-tea" }))[0]?.name).toBe("tea");
    await expect(store.changeSchedule("id-tea", { name: "NEWS" })).rejects.toMatchObject({
      code: "conflict",
    });
    // What is done makes room, and gives its name away.
    await store.changeSchedule("id-News", { state: "done" });
    await store.addSchedule(schedule("news", { id: "new" }), 2);
    expect((await store.listSchedules({ called: "news" }))[0]?.id).toBe("new");
    expect((await store.listSchedules()).map(({ id }) => id)).toEqual(["new", "id-tea", "id-News"]);
    expect(await store.changeSchedule("new", "remove")).toMatchObject({ id: "new" });
    expect(await store.changeSchedule("new", "remove")).toBeUndefined();
  });

  it("advance with the message of their tick, one message per tick", async () => {
    const { store } = await tempStore();
    await store.addSchedule(schedule("a"), 9);
    expect(await store.listSchedules({ dueAt: 99 })).toEqual([]);
    expect(await store.listSchedules({ dueAt: 100 })).toMatchObject([{ id: "id-a", isBusy: false }]);
    expect(await accept(store, run("id-a", 100, 160))).toHaveLength(1);
    expect(await store.listSchedules({ dueAt: 159 })).toEqual([]);
    expect(await store.listSchedules({ dueAt: 160 })).toMatchObject([
      { isBusy: true, lastRun: { state: "waiting", tick: 100 } },
    ]);
    // As if its schedule had not moved.
    await store.changeSchedule("id-a", { nextAt: 100 });
    expect(await accept(store, run("id-a", 100, 160))).toEqual([]);
    expect((await store.listSchedules({ called: "a" }))[0]?.nextAt).toBe(160);
    expect(await runsOf(store, 10)).toHaveLength(1);
  });

  it("are done without a next tick, and list skipped ones", async () => {
    const { store } = await tempStore();
    await store.addSchedule(schedule("a"), 9);
    await store.changeSchedule("id-a", { nextAt: 160, skipped: { tick: 100, reason: "too late" } });
    expect((await store.listSchedules({ called: "a" }))[0]).toMatchObject({
      state: "active",
      nextAt: 160,
      lastRun: { state: "skipped", reason: "too late", inboxId: null },
    });
    await accept(store, run("id-a", 160, null));
    expect((await store.listSchedules({ called: "a" }))[0]).toMatchObject({ state: "done", nextAt: null });
    await store.changeSchedule("id-a", { state: "paused", nextAt: 5 });
    expect(await store.listSchedules({ dueAt: 999 })).toEqual([]);
    await store.changeSchedule("id-a", { runRequestedAt: 7 });
    expect(await store.listSchedules({ dueAt: 999 })).toMatchObject([{ runRequestedAt: 7 }]);
  });

  it("that fail repeatedly leave one dead letter and all reasons", async () => {
    const { store, file } = await tempStore();
    await store.addSchedule(schedule("a"), 9);
    for (const tick of [100, 160, 220]) {
      const [row] = await accept(store, run("id-a", tick, tick + 60));
      const db = new Database(file);
      db.prepare("UPDATE gw_inbox SET state = 'dead', error = ? WHERE id = ?").run(`at ${tick}`, row!.id);
      db.close();
    }
    expect((await store.reports.deadPage({})).letters).toHaveLength(1);
    const runs = await runsOf(store, 10);
    expect(runs.map(({ state, reason }) => [state, reason])).toEqual([
      ["failed", "at 220"],
      ["failed", "at 160"],
      ["failed", "at 100"],
    ]);
  });

  it("cancel unanswered and unsent runs when removed", async () => {
    const { store, file } = await tempStore();
    for (const name of ["gone", "kept"]) await store.addSchedule(schedule(name), 9);
    for (const id of ["id-gone", "id-kept"]) {
      const [sent] = await accept(store, run(id, 100, 160));
      const replies = [{ target: TARGET, kind: "answer" as const, text: "new" }];
      await store.settleMessage({ inboxId: sent!.id, state: "done", reason: "/x", replies });
      const [failed] = await accept(store, run(id, 160, 220));
      const db = new Database(file);
      db.prepare("UPDATE gw_inbox SET state = 'dead' WHERE id = ?").run(failed!.id);
      db.close();
    }
    expect(await store.changeSchedule("id-gone", "remove")).toMatchObject({ id: "id-gone" });
    expect((await store.reports.deadPage({})).letters).toHaveLength(1);
    expect(await store.claimDeliveries("boot", 9)).toHaveLength(1);
  });

  it("keep only their last runs", async () => {
    const { store } = await tempStore();
    await store.addSchedule(schedule("a"), 9);
    for (let tick = 0; tick < 105; tick += 1)
      await store.changeSchedule("id-a", { nextAt: tick + 1, skipped: { tick, reason: "x" } });
    const runs = await runsOf(store, 1000);
    expect(runs).toHaveLength(100);
    expect(runs[0]!.tick).toBe(104);
  });

  it("that can't be read can be listed and removed but not changed", async () => {
    const { store, file } = await tempStore();
    for (const name of ["a", "b"]) await store.addSchedule(schedule(name, { target: TARGET }), 9);
    const db = new Database(file);
    db.prepare("UPDATE gw_schedules SET target = 'oh' WHERE name = 'a'").run();
    const rows = () => db.prepare("SELECT * FROM gw_schedules WHERE name = 'a'").all();
    const before = rows();
    const fault = "Its target isn't a JSON object.";
    expect(await store.listSchedules()).toMatchObject([
      { name: "a", fault },
      { name: "b", fault: null },
    ]);
    expect(await store.changeSchedule("id-a", { state: "paused" })).toBeUndefined();
    await store.moveChat("test", "c1", "c2");
    expect((await store.listSchedules({ called: "b" }))[0]?.target?.chatId).toBe("c2");
    expect(rows()).toEqual(before);
    expect(await store.changeSchedule("id-a", "remove")).toMatchObject({ id: "id-a" });
    expect(rows()).toEqual([]);
    db.close();
  });

  it("follow a chat that has moved", async () => {
    const { store } = await tempStore();
    await store.addSchedule(schedule("a", { target: TARGET }), 9);
    await store.addSchedule(schedule("b", { target: { ...TARGET, platform: "other" } }), 9);
    await store.moveChat("test", "c1", "c2");
    expect((await store.listSchedules({ called: "a" }))[0]?.target).toEqual({ ...TARGET, chatId: "c2" });
    expect((await store.listSchedules({ called: "b" }))[0]?.target?.chatId).toBe("c1");
  });
});
