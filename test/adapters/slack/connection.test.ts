import { afterEach, describe, expect, it } from "vitest";
import { type Bench, bench, FakeInbox, outbound, patient } from "./harness.js";

let b: Bench;
afterEach(() => b.close());

const HOUR_MS = 3_600_000;

describe("the connection", () => {
  it("opens another socket at once when Slack asks for it", async () => {
    b = await bench({ adapter: { times: { reconnectMs: 60_000 } } });
    b.slack.sockets.refresh();
    await b.slack.until(() => b.slack.sockets.opened === 2);
    b.slack.say({ channel: "D1", user: "U1", text: "still there?" });
    await b.slack.until(() => b.inbox.received.length === 1);
    await b.slack.until(() => b.slack.sockets.count === 1);
    expect(b.adapter.health().state).toBe("ok");
  });

  it("gets again what a cut socket took with it", async () => {
    b = await bench();
    let first = true;
    b.inbox.gate = async () => {
      if (!first) return;
      first = false;
      b.slack.sockets.cut();
      await b.slack.until(() => b.slack.sockets.count === 0);
    };
    b.slack.say({ channel: "D1", user: "U1", text: "hello" });
    await b.slack.until(() => b.slack.deliveries.all[0]?.state === "acked");
    expect(new Set(b.inbox.received.map(({ eventId }) => eventId)).size).toBe(1);
  });

  it("notices a socket that is open and deaf", async () => {
    b = await bench({ adapter: { times: { pingMs: 90 } } });
    b.slack.sockets.withholdPongs = true;
    await b.slack.until(() => b.slack.sockets.opened > 1);
    b.slack.sockets.withholdPongs = false;
    await b.slack.until(() => b.adapter.health().state === "ok");
  });

  it("doesn't wait for ever for a hello", async () => {
    b = await bench({ idle: true, adapter: { times: { helloMs: 100 } } });
    b.slack.sockets.withholdHello = true;
    const connecting = b.adapter.connect(b.inbox, new AbortController().signal);
    await b.slack.until(() => b.slack.sockets.opened > 1);
    b.slack.sockets.withholdHello = false;
    await connecting;
    expect(b.adapter.health().state).toBe("ok");
  });

  it("says when another gateway shares its app", async () => {
    b = await bench();
    const other = await bench({ slack: b.slack });
    expect(other.adapter.health().detail).toMatch(/2 sockets/);
    expect(other.log.join()).toMatch(/2 sockets/);
    await other.close();
  });

  it.each([
    ["invalid_auth", "bot", /doesn't know this token/],
    ["account_inactive", "bot", /install it again/],
    ["invalid_auth", "app", /app_token: Slack doesn't know this token/],
    ["missing_scope", "scope", /connections:write/],
  ])("gives one clear line for %s of the %s", async (error, which, line) => {
    b = await bench({ idle: true });
    if (which === "scope") b.slack.scopes.delete("connections:write");
    else b.slack.revoked.set(which === "bot" ? b.slack.botToken : b.slack.appToken, error);
    await expect(b.adapter.connect(b.inbox, new AbortController().signal)).rejects.toThrow(line);
    const { state, detail } = b.adapter.health();
    expect(state).toBe("down");
    expect(detail).toMatch(line);
    expect(b.log.filter((entry) => entry.startsWith("error"))).toHaveLength(1);
    expect(b.log.join()).not.toMatch(/xoxb-111|xapp-1/);
  });

  it("tells of a token that is revoked later, and comes back once it isn't", async () => {
    b = await bench();
    b.slack.revoked.set(b.slack.appToken, "token_revoked");
    b.slack.sockets.refresh();
    await b.slack.until(() => b.adapter.health().state === "down");
    expect(b.adapter.health().detail).toMatch(/revoked/);
    b.slack.revoked.clear();
    await b.slack.until(() => b.adapter.health().state === "ok");
  });

  it("needs an app token or a signing secret", async () => {
    b = await bench({ idle: true, adapter: { appToken: undefined } });
    await expect(b.adapter.connect(b.inbox, new AbortController().signal)).rejects.toThrow(/signing secret/);
  });

  it("leaves quickly in the middle of connecting, and lets a send end that is under way", async () => {
    b = await bench();
    b.slack.faults.next("chat.postMessage", { kind: "delay", ms: 100 });
    const sending = b.adapter.send(outbound({}, "last words"), patient());
    await b.slack.until(() => b.slack.callsOf("chat.postMessage").length === 1);
    await b.adapter.disconnect();
    await expect(sending).resolves.toMatchObject({ messageIds: [expect.any(String)] });

    b.slack.faults.next("apps.connections.open", { kind: "delay", ms: 2000 });
    const stop = new AbortController();
    const connecting = b.adapter.connect(b.inbox, stop.signal);
    await b.slack.until(() => b.slack.callsOf("apps.connections.open").length === 2);
    const start = Date.now();
    stop.abort();
    await b.adapter.disconnect();
    await connecting;
    expect(Date.now() - start).toBeLessThan(1000);
  });
});

describe("catching up", () => {
  async function away(inbox: FakeInbox, maxAge = 86_400) {
    const next = await bench({ slack: b.slack, inbox, adapter: { catchUpMaxAgeSeconds: maxAge } });
    await next.close();
    return next;
  }

  it("fetches what was said while nobody listened, in order, in rooms and threads", async () => {
    b = await bench();
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
    await away(inbox);
    const missed = inbox.texts.filter((text) => text !== "before" && text !== "old topic");
    expect(missed).toEqual(["first", "second", "third", "in a thread"]);
    expect(inbox.received.find(({ text }) => text === "second")!.origin.threadId).toBe(old.ts);
    expect(Number(inbox.cursors.get("seen"))).toBeGreaterThan(Number(old.ts));
  });

  it("gives what was heard before the same event id", async () => {
    b = await bench();
    b.slack.say({ channel: "D1", user: "U1", text: "before" });
    await b.slack.until(() => b.inbox.received.length === 1);
    await away(b.inbox);
    expect(b.inbox.received.map(({ eventId }) => eventId)).toEqual([
      b.inbox.received[0]!.eventId,
      b.inbox.received[0]!.eventId,
    ]);
  });

  it("hands over what is too old as well, for the gateway to tell of", async () => {
    b = await bench();
    const inbox = new FakeInbox();
    inbox.cursors.set("seen", `${Math.floor((Date.now() - 3 * HOUR_MS) / 1000)}.000000`);
    b.slack.say({ channel: "D1", user: "U1", text: "stale", silently: true, atMs: Date.now() - 2 * HOUR_MS });
    b.slack.say({ channel: "D1", user: "U1", text: "fresh", silently: true });
    await away(inbox, 3600);
    expect(inbox.texts).toEqual(["stale", "fresh"]);
    expect(Date.now() / 1000 - inbox.received[0]!.sentAt).toBeGreaterThan(7000);
  });

  it("asks nothing at its first start, nor when it must not", async () => {
    b = await bench();
    b.slack.say({ channel: "D1", user: "U1", text: "long before", silently: true });
    await away(new FakeInbox());
    const inbox = new FakeInbox();
    inbox.cursors.set("seen", "1.000000");
    await away(inbox, 0);
    expect(b.slack.callsOf("conversations.history")).toEqual([]);
    expect(inbox.received).toEqual([]);
  });

  it("keeps the cursor where it was until everything is there", async () => {
    b = await bench();
    const inbox = new FakeInbox();
    const seen = `${Math.floor(Date.now() / 1000) - 5}.000000`;
    inbox.cursors.set("seen", seen);
    b.slack.say({ channel: "D1", user: "U1", text: "missed", silently: true });
    inbox.gate = async ({ text }) => {
      if (text === "missed") throw new Error("disk full");
    };
    const next = await bench({ slack: b.slack, inbox });
    b.slack.sockets.cut();
    await b.slack.until(() => b.slack.sockets.count === 2);
    expect(inbox.cursors.get("seen")).toBe(seen);
    inbox.gate = async () => undefined;
    b.slack.sockets.cut();
    await b.slack.until(() => inbox.texts.includes("missed"));
    await b.slack.until(() => Number(inbox.cursors.get("seen")) > Number(seen));
    await next.close();
  });

  it("comes although Slack has given it up while the inbox took nothing, and the operator is told", async () => {
    b = await bench();
    b.slack.say({ channel: "D1", user: "U1", text: "before" });
    await b.slack.until(() => b.inbox.cursors.has("seen"));
    let full = true;
    b.inbox.gate = async () => {
      if (full) throw new Error("disk full");
    };
    b.slack.say({ channel: "D1", user: "U1", text: "in between" });
    await b.slack.until(() => b.slack.deliveries.all.at(-1)!.state === "gave_up");
    expect(b.log).toContainEqual(expect.stringMatching(/^warn: .*could not be taken in/));
    full = false;
    await b.slack.until(() => b.inbox.texts.includes("in between"));
    const last = b.slack.say({ channel: "D1", user: "U1", text: "after" });
    await b.slack.until(() => b.inbox.cursors.get("seen") === last.ts);
  });

  it("waits where Slack limits the reading, and skips what it may not read", async () => {
    b = await bench();
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
    const next = await away(inbox);
    expect(inbox.texts).toEqual(["missed too"]);
    expect(next.log.join("\n")).toMatch(/im:read/);
  });
});
