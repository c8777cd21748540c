import { describe, expect, it } from "vitest";
import { cronjobTool } from "../../../src/tools/builtin/cronjob.js";
import { tempStore } from "../../support/temp.js";
import { inRoom, toolCall, use } from "../../support/tool-call.js";

const ann = { platform: "test", userId: "ann" };
const bob = { platform: "test", userId: "bob" };
const owner = { platform: "test", userId: "olga", owner: true };

async function setUp(enabled = true) {
  const { store } = await tempStore();
  const targets = { platforms: ["test"], homes: {}, isChatId: () => true };
  const tool = cronjobTool({ store, targets, timeZone: "UTC", maxJobs: 50, enabled });
  const call = (principal: typeof ann, action: string, args = {}, given = {}) =>
    use(tool, { action, ...args }, { principal, ...given });
  const create = (principal: typeof ann, args = {}, given = {}) =>
    call(principal, "create", { schedule: "every 2h", prompt: "Look at the queue", ...args }, given);
  const names = async (principal: typeof ann, given = {}) =>
    ((await call(principal, "list", {}, given)).jobs as { name: string }[]).map(({ name }) => name);
  return { store, tool, call, create, names };
}

describe("create", () => {
  it("makes a schedule of the person that answers in this chat", async () => {
    const { store, create } = await setUp();
    const made = await create(ann, { name: "queue" });
    expect(made).toMatchObject({
      success: true,
      job: { name: "queue", schedule: "every 2h", state: "active", deliver: "test:dm-ann" },
    });
    expect(await store.listSchedules()).toMatchObject([
      { maker: ann, target: { chatId: "dm-ann", replyTo: null }, deliver: "test:dm-ann" },
    ]);
  });

  it("is idempotent for the same call", async () => {
    const { store, create } = await setUp();
    const given = { idempotencyKey: "call-1" };
    expect(await create(ann, {}, given)).toEqual(await create(ann, {}, given));
    expect(await store.listSchedules()).toHaveLength(1);
  });

  it("explains what is wrong", async () => {
    const { create } = await setUp();
    expect(await create(ann, { schedule: "now and then" })).toMatchObject({
      error: expect.stringContaining('Invalid time "now and then"'),
    });
    expect(await create(ann, { prompt: "" })).toMatchObject({ error: "prompt is missing." });
    expect(await create(ann, { repeat: 3 })).toMatchObject({ error: expect.stringContaining("repeat") });
  });

  it("is impossible in a scheduled run, which may only look, pause and remove", async () => {
    const { store, call, create } = await setUp();
    await create(ann, { name: "queue" });
    const unattended = { unattended: true };
    expect(await create(ann, { name: "more" }, unattended)).toMatchObject({ success: false });
    for (const action of ["update", "resume", "run"])
      expect(await call(ann, action, { job_id: "queue" }, unattended)).toMatchObject({ success: false });
    expect(await call(ann, "pause", { job_id: "queue" }, unattended)).toMatchObject({ success: true });
    expect(await call(ann, "remove", { job_id: "queue" }, unattended)).toMatchObject({ success: true });
    expect(await store.listSchedules()).toEqual([]);
  });

  it("delivers elsewhere only for owners", async () => {
    const { create } = await setUp();
    expect(await create(ann, { deliver: "test:board" })).toMatchObject({
      error: "deliver must be origin or local.",
    });
    expect(await create(ann, { deliver: "local", name: "a" })).toMatchObject({ job: { deliver: "local" } });
    expect(await create(owner, { deliver: "test:board", name: "b" })).toMatchObject({
      job: { deliver: "test:board" },
    });
  });

  it("has a limit per person, and reveals no other person's names", async () => {
    const { create } = await setUp();
    await create(bob, { name: "secret plan" });
    const own = await create(ann, { name: "secret plan" });
    expect(own).toMatchObject({ success: true });
    for (let i = 0; i < 9; i++) await create(ann, { name: `job ${i}` });
    expect(await create(ann, { name: "one more" })).toMatchObject({
      error: expect.stringContaining("the maximum is 10"),
    });
    expect(await create(owner, { name: "mine" })).toMatchObject({ success: true });
  });
});

describe("schedules", () => {
  it("can be changed, paused, resumed, run and removed by their person", async () => {
    const { store, call, create } = await setUp();
    await create(ann, { name: "queue" });
    const job = { job_id: "queue" };
    expect(await call(ann, "update", { ...job, schedule: "0 9 * * *", prompt: "Hello" })).toMatchObject({
      job: { schedule: "0 9 * * *", prompt: "Hello", name: "queue" },
    });
    expect(await call(ann, "pause", job)).toMatchObject({ job: { state: "paused", next_run: null } });
    expect(await call(ann, "resume", job)).toMatchObject({ job: { state: "active" } });
    await call(ann, "run", job);
    expect((await store.listSchedules({ called: "queue" }))[0]?.runRequestedAt).toBeGreaterThan(0);
    expect(await call(ann, "remove", job)).toEqual({ success: true, removed: "queue" });
    expect(await call(ann, "dance", job)).toMatchObject({ success: false });
  });

  it("are the person's own: others get the same error as for none, owners see all", async () => {
    const { call, create, names } = await setUp();
    await create(ann, { name: "diary" });
    expect(await names(bob)).toEqual([]);
    expect(await names(owner)).toEqual(["diary"]);
    for (const action of ["update", "pause", "resume", "remove", "run"]) {
      const foreign = await call(bob, action, { job_id: "diary" });
      const missing = await call(bob, action, { job_id: "nothing" });
      expect(JSON.stringify(foreign)).toBe(JSON.stringify(missing).replace("nothing", "diary"));
    }
  });

  it("are shown in a room only if they write to it, also to owners", async () => {
    const { create, names } = await setUp();
    const room = inRoom({ platform: "test", chatId: "ops" });
    await create(owner, { name: "private" });
    await create(owner, { name: "for all" }, room);
    expect(await names(owner, room)).toEqual(["for all"]);
    expect(await names(owner)).toEqual(["for all", "private"]);
  });

  it("can't be used while they are disabled", async () => {
    expect((await setUp(false)).tool.unavailable?.()).toContain("cron.enabled");
    expect((await setUp()).tool.unavailable?.()).toBeUndefined();
    expect(toolCall().unattended).toBe(false);
  });
});
