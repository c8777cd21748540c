import { afterEach, describe, expect, it, vi } from "vitest";
import { send } from "../../support/send.js";
import { deadline, outbound, type Setup, setup } from "./support.js";

let b: Setup;
afterEach(() => b.close());

describe("Slack connection", () => {
  it("reconnects at once when Slack requests a refresh", async () => {
    b = await setup({ adapter: { timing: { reconnectMs: 60_000 } } });
    b.slack.sockets.refresh();
    await b.slack.until(() => b.slack.sockets.opened === 2);
    b.slack.say({ channel: "D1", user: "U1", text: "still there?" });
    await b.slack.until(() => b.inbox.received.length === 1);
    await b.slack.until(() => b.slack.sockets.count === 1);
    expect(b.adapter.health().state).toBe("ok");
  });

  it("receives an event again after its socket was cut", async () => {
    b = await setup();
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

  it("replaces an open socket that answers no pings", async () => {
    b = await setup({ adapter: { timing: { pingMs: 90 } } });
    b.slack.sockets.withholdPongs = true;
    await b.slack.until(() => b.slack.sockets.opened > 1);
    b.slack.sockets.withholdPongs = false;
    await b.slack.until(() => b.adapter.health().state === "ok");
  });

  it("reconnects at once each time the clock is set", async () => {
    b = await setup({ adapter: { timing: { pingMs: 90, reconnectMs: 60_000, reconnectMaxMs: 60_000 } } });
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const { sockets } = b.slack;
      for (let times = 0; times < 3; times += 1) {
        // The SDK has had a pong on this socket.
        const { pings, opened } = sockets;
        await b.slack.until(() => sockets.pings >= pings + 2);
        vi.setSystemTime(Date.now() + 3_600_000);
        await b.slack.until(() => sockets.opened > opened && sockets.count === 1);
      }
    } finally {
      vi.useRealTimers();
    }
  });

  it("replaces a socket that gets no hello", async () => {
    b = await setup({ idle: true, adapter: { timing: { helloMs: 100 } } });
    b.slack.sockets.withholdHello = true;
    const connecting = b.adapter.connect(b.inbox, new AbortController().signal);
    await b.slack.until(() => b.slack.sockets.opened > 1);
    b.slack.sockets.withholdHello = false;
    await connecting;
    expect(b.adapter.health().state).toBe("ok");
  });

  it("warns when another gateway has a socket of the same app", async () => {
    b = await setup();
    const other = await setup({ slack: b.slack });
    expect(other.adapter.health().detail).toMatch(/2 sockets/);
    expect(other.log.join()).toMatch(/2 sockets/);
    await other.close();
  });

  it.each([
    ["invalid_auth", "bot", /rejects this token/],
    ["account_inactive", "bot", /install it again/],
    ["invalid_auth", "app", /app_token: Slack rejects this token/],
    ["missing_scope", "scope", /connections:write/],
  ])("fails with one clear log line: %s (%s)", async (error, which, line) => {
    b = await setup({ idle: true });
    if (which === "scope") b.slack.scopes.delete("connections:write");
    else b.slack.revoked.set(which === "bot" ? b.slack.botToken : b.slack.appToken, error);
    await expect(b.adapter.connect(b.inbox, new AbortController().signal)).rejects.toThrow(line);
    const { state, detail } = b.adapter.health();
    expect(state).toBe("down");
    expect(detail).toMatch(line);
    expect(b.log.filter((entry) => entry.startsWith("error"))).toHaveLength(1);
    expect(b.log.join()).not.toMatch(/xoxb-111|xapp-1/);
  });

  it("goes down when its token is revoked, and recovers when it is valid again", async () => {
    b = await setup();
    b.slack.revoked.set(b.slack.appToken, "token_revoked");
    b.slack.sockets.refresh();
    await b.slack.until(() => b.adapter.health().state === "down");
    expect(b.adapter.health().detail).toMatch(/revoked/);
    b.slack.revoked.clear();
    await b.slack.until(() => b.adapter.health().state === "ok");
  });

  it("requires an app token or a signing secret", async () => {
    b = await setup({ idle: true, adapter: { appToken: undefined } });
    await expect(b.adapter.connect(b.inbox, new AbortController().signal)).rejects.toThrow(/signing secret/);
  });

  it("disconnects quickly while connecting, and lets a running send finish", async () => {
    b = await setup();
    b.slack.faults.next("chat.postMessage", { kind: "delay", ms: 100 });
    const sending = send(b.adapter, outbound({}, "last message"), deadline());
    await b.slack.until(() => b.slack.callsOf("chat.postMessage").length === 1);
    await b.adapter.disconnect();
    await expect(sending).resolves.toMatchObject({ messageIds: [expect.any(String)] });

    b.slack.faults.next("apps.connections.open", { kind: "delay", ms: 60_000 });
    const stop = new AbortController();
    const connecting = b.adapter.connect(b.inbox, stop.signal);
    await b.slack.until(() => b.slack.callsOf("apps.connections.open").length === 2);
    stop.abort();
    // The test would time out if it waited for the delayed call.
    await b.adapter.disconnect();
    await connecting;
  });
});
