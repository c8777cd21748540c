import { afterEach, describe, expect, it } from "vitest";
import { FakeInbox, type Setup, setup } from "./support.js";

let b: Setup;
afterEach(() => b.close());

const HOUR_MS = 3_600_000;

describe("Slack catch-up", () => {
  async function reconnect(inbox: FakeInbox, maxAge = 86_400) {
    const next = await setup({ slack: b.slack, inbox, adapter: { catchUpMaxAgeSeconds: maxAge } });
    await next.close();
    return next;
  }

  it("fetches messages missed while disconnected, in order, in channels and threads", async () => {
    b = await setup();
    const old = b.slack.say({ channel: "D1", user: "U1", text: "before" });
    const inChannel = b.slack.say({ channel: "C1", user: "U1", text: "old topic" });
    await b.slack.until(() => b.inbox.received.length === 2);
    await b.adapter.disconnect();
    b.slack.say({ channel: "D1", user: "U1", text: "first", silently: true });
    b.slack.say({
      channel: "C1",
      user: "U2",
      text: "<@U0BOT> in a thread",
      threadTs: inChannel.ts,
      silently: true,
    });
    b.slack.say({ channel: "D1", user: "U1", text: "second", threadTs: old.ts, silently: true });
    b.slack.say({ channel: "D1", user: "U1", text: "third", silently: true });
    const inbox = new FakeInbox();
    for (const [name, value] of b.inbox.cursors) inbox.cursors.set(name, value);
    await reconnect(inbox);
    const missed = inbox.texts.filter((text) => text !== "before" && text !== "old topic");
    expect(missed).toEqual(["first", "second", "third", "in a thread"]);
    expect(inbox.received.find(({ text }) => text === "second")!.origin.threadId).toBe(old.ts);
    expect(Number(inbox.cursors.get("seen"))).toBeGreaterThan(Number(old.ts));
  });

  it("gives a message that was received before the same event id", async () => {
    b = await setup();
    b.slack.say({ channel: "D1", user: "U1", text: "before" });
    await b.slack.until(() => b.inbox.received.length === 1);
    await reconnect(b.inbox);
    expect(b.inbox.received.map(({ eventId }) => eventId)).toEqual([
      b.inbox.received[0]!.eventId,
      b.inbox.received[0]!.eventId,
    ]);
  });

  it("hands over messages that are too old, so that the gateway can report them", async () => {
    b = await setup();
    const inbox = new FakeInbox();
    inbox.cursors.set("seen", `${Math.floor((Date.now() - 3 * HOUR_MS) / 1000)}.000000`);
    b.slack.say({ channel: "D1", user: "U1", text: "stale", silently: true, atMs: Date.now() - 2 * HOUR_MS });
    b.slack.say({ channel: "D1", user: "U1", text: "fresh", silently: true });
    await reconnect(inbox, 3600);
    expect(inbox.texts).toEqual(["stale", "fresh"]);
    expect(Date.now() / 1000 - inbox.received[0]!.sentAt).toBeGreaterThan(7000);
  });

  it("fetches nothing at the first start or when disabled", async () => {
    b = await setup();
    b.slack.say({ channel: "D1", user: "U1", text: "long before", silently: true });
    await reconnect(new FakeInbox());
    const inbox = new FakeInbox();
    inbox.cursors.set("seen", "1.000000");
    await reconnect(inbox, 0);
    expect(b.slack.callsOf("conversations.history")).toEqual([]);
    expect(inbox.received).toEqual([]);
  });

  it("doesn't move the cursor before all missed messages are stored", async () => {
    b = await setup();
    const inbox = new FakeInbox();
    const seen = `${Math.floor(Date.now() / 1000) - 5}.000000`;
    inbox.cursors.set("seen", seen);
    b.slack.say({ channel: "D1", user: "U1", text: "missed", silently: true });
    inbox.gate = async ({ text }) => {
      if (text === "missed") throw new Error("disk full");
    };
    const next = await setup({ slack: b.slack, inbox });
    b.slack.sockets.cut();
    await b.slack.until(() => b.slack.sockets.count === 2);
    expect(inbox.cursors.get("seen")).toBe(seen);
    inbox.gate = async () => undefined;
    b.slack.sockets.cut();
    await b.slack.until(() => inbox.texts.includes("missed"));
    await b.slack.until(() => Number(inbox.cursors.get("seen")) > Number(seen));
    await next.close();
  });

  it("fetches an event that Slack gave up on while the inbox was failing, and logs a warning", async () => {
    b = await setup();
    b.slack.say({ channel: "D1", user: "U1", text: "before" });
    await b.slack.until(() => b.inbox.cursors.has("seen"));
    let full = true;
    b.inbox.gate = async () => {
      if (full) throw new Error("disk full");
    };
    b.slack.say({ channel: "D1", user: "U1", text: "in between" });
    await b.slack.until(() => b.slack.deliveries.all.at(-1)!.state === "gave_up");
    expect(b.log).toContainEqual(expect.stringMatching(/^warn: .*could not be stored/));
    full = false;
    await b.slack.until(() => b.inbox.texts.includes("in between"));
    const last = b.slack.say({ channel: "D1", user: "U1", text: "after" });
    await b.slack.until(() => b.inbox.cursors.get("seen") === last.ts);
  });

  it("obeys rate limits and skips channels that it may not read", async () => {
    b = await setup();
    const inbox = new FakeInbox();
    inbox.cursors.set("seen", `${Math.floor(Date.now() / 1000) - 5}.000000`);
    b.slack.say({ channel: "D1", user: "U1", text: "missed", silently: true });
    b.slack.faults.next("users.conversations", {
      kind: "error",
      error: "missing_scope",
      extra: { needed: "im:read" },
    });
    b.slack.say({ channel: "C1", user: "U1", text: "missed too", silently: true });
    b.slack.faults.rateLimit("conversations.history", 1);
    const next = await reconnect(inbox);
    expect(inbox.texts).toEqual(["missed too"]);
    expect(next.log.join("\n")).toMatch(/im:read/);
  });
});
