import { describe, expect, it } from "vitest";
import { TestGateway, type TestGatewayOptions } from "../support/gateway.js";
import { inDm, inGroup } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const MINUTE = 60;
const DAY = 86_400;
const ann = inDm("ann");
const NOTICE = /^◐ Session automatically reset/;

const withReset = (session_reset: object, more: object = {}): TestGatewayOptions => ({
  config: { session_reset, ...more },
});

/** Writes, waits, writes again. Returns what was sent, and whether the session changed. */
async function afterSilence(gateway: TestGateway, seconds: number, person = ann) {
  await gateway.ask(person, "before");
  const first = await gateway.session(person);
  await gateway.silentFor(person, seconds);
  const sent = await gateway.ask(person, "after");
  const second = await gateway.session(person);
  return { sent, first, second, isFresh: first.id !== second.id };
}

describe("a session", () => {
  it("resets after the idle time, and the chat gets the reason and the way back", async () => {
    const gateway = await TestGateway.start(withReset({ mode: "idle", idle_minutes: 30 }));
    const { sent, first, second, isFresh } = await afterSilence(gateway, 31 * MINUTE);
    expect(isFresh).toBe(true);
    expect(sent[0]).toMatch(NOTICE);
    expect(sent[0]).toContain("inactive for 30m");
    expect(sent[0]).toContain("/resume");
    expect(sent[1]).toBe("after");
    expect(await gateway.store.getSession(first.id)).toMatchObject({ end_reason: "session_reset" });
    expect(second.ended_at).toBeNull();
    expect(await gateway.ask(ann, "once more")).toEqual(["once more"]);
  });

  it("continues within the idle time", async () => {
    const gateway = await TestGateway.start(withReset({ mode: "idle", idle_minutes: 30 }));
    expect((await afterSilence(gateway, 29 * MINUTE)).isFresh).toBe(false);
  });

  it("resets every day", async () => {
    const gateway = await TestGateway.start(withReset({ mode: "daily", at_hour: 4 }));
    const { sent, isFresh } = await afterSilence(gateway, DAY + 1);
    expect(isFresh).toBe(true);
    expect(sent[0]).toContain("daily schedule at 4:00");
  });

  it.each([
    ["both, by the clock", { mode: "both", at_hour: 4, idle_minutes: 100_000 }, DAY + 1, true],
    ["both, by silence", { mode: "both", at_hour: 4, idle_minutes: 10 }, 11 * MINUTE, true],
    ["none", { mode: "none" }, 1000 * DAY, false],
  ])("follows the mode: %s", async (_, policy, silence, fresh) => {
    const gateway = await TestGateway.start(withReset(policy));
    expect((await afterSilence(gateway, silence)).isFresh).toBe(fresh);
  });

  it("follows the policy of its platform, else of its chat type", async () => {
    const idle = { mode: "idle", idle_minutes: 10 };
    const byType = await TestGateway.start(withReset({ mode: "none" }, { reset_by_type: { group: idle } }));
    expect((await afterSilence(byType, 11 * MINUTE)).isFresh).toBe(false);
    expect((await afterSilence(byType, 11 * MINUTE, inGroup("ann"))).isFresh).toBe(true);
    const byPlatform = await TestGateway.start(
      withReset(
        { mode: "none" },
        { reset_by_type: { dm: { mode: "none" } }, reset_by_platform: { test: idle } },
      ),
    );
    expect((await afterSilence(byPlatform, 11 * MINUTE)).isFresh).toBe(true);
  });

  it("that was only resumed gets a notice at its reset", async () => {
    const gateway = await TestGateway.start(withReset({ mode: "idle", idle_minutes: 30 }));
    await gateway.ask(ann, "about Rome");
    const rome = await gateway.session(ann);
    await gateway.ask(ann, "/new");
    await gateway.ask(ann, `/resume ${rome.id}`);
    await gateway.silentFor(ann, 31 * MINUTE);
    expect(await gateway.ask(ann, "go on")).toEqual([expect.stringMatching(NOTICE), "go on"]);
  });

  it("without messages resets silently", async () => {
    const gateway = await TestGateway.start(withReset({ mode: "idle", idle_minutes: 30 }));
    await gateway.ask(ann, "/new");
    await gateway.silentFor(ann, 31 * MINUTE);
    expect(await gateway.ask(ann, "hello")).toEqual(["hello"]);
  });

  it.each([
    ["notify is off", { notify: false }],
    ["the platform is excluded", { notify_exclude_platforms: ["test"] }],
  ])("resets silently if %s", async (_, quiet) => {
    const gateway = await TestGateway.start(withReset({ mode: "idle", idle_minutes: 30, ...quiet }));
    const { sent, isFresh } = await afterSilence(gateway, 31 * MINUTE);
    expect(isFresh).toBe(true);
    expect(sent).toEqual(["after"]);
  });

  it("ends when it is due without new messages", async () => {
    const gateway = await TestGateway.start(withReset({ mode: "idle", idle_minutes: 30 }));
    await gateway.ask(ann, "before");
    const first = await gateway.session(ann);
    await gateway.silentFor(ann, 31 * MINUTE);
    expect((await gateway.sweep()).map(({ sessionId }) => sessionId)).toEqual([first.id]);
    expect(await gateway.store.getSession(first.id)).toMatchObject({ end_reason: "session_reset" });
    expect(await gateway.sweep()).toEqual([]);
    const sent = await gateway.ask(ann, "after");
    expect(sent[0]).toMatch(NOTICE);
    expect(sent[1]).toBe("after");
    expect((await gateway.session(ann)).id).not.toBe(first.id);
  });

  it("can be resumed after a reset", async () => {
    const gateway = await TestGateway.start(withReset({ mode: "idle", idle_minutes: 30 }));
    const { first } = await afterSilence(gateway, 31 * MINUTE);
    await gateway.ask(ann, `/resume ${first.id}`);
    expect((await gateway.session(ann)).id).toBe(first.id);
    expect(await gateway.ask(ann, "again")).toEqual(["again"]);
    const said = await gateway.store.getMessages(first.id);
    expect(said.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
      "before",
      "again",
    ]);
  });

  it("isn't reset during background work", async () => {
    const gateway = await TestGateway.start(withReset({ mode: "idle", idle_minutes: 30 }));
    await gateway.ask(ann, "before");
    const first = await gateway.session(ann);
    await gateway.say(ann, "/background !slow 700 found it");
    await until("the work runs", () => gateway.gateway.depth.running === 1);
    await gateway.silentFor(ann, 31 * MINUTE);
    await gateway.say(ann, "after");
    await until("the answer is there", () => gateway.adapter.to(ann).some(({ text }) => text === "after"));
    expect((await gateway.session(ann)).id).toBe(first.id);
    await gateway.idle();
    expect(gateway.adapter.to(ann).at(-1)!.text).toContain("found it");
  });

  it("isn't kept alive by reading it", async () => {
    const gateway = await TestGateway.start(withReset({ mode: "idle", idle_minutes: 30 }));
    await gateway.ask(ann, "before");
    const first = await gateway.session(ann);
    await gateway.silentFor(ann, 31 * MINUTE);
    const before = await gateway.route(ann);
    const [status] = await gateway.ask(ann, "/status");
    expect(status).toContain("Next reset: idle, due");
    expect(await gateway.route(ann)).toEqual(before);
    await gateway.ask(ann, "after");
    expect((await gateway.session(ann)).id).not.toBe(first.id);
  });
});
