import { afterEach, describe, expect, it } from "vitest";
import { type Bench, bench } from "./harness.js";

let b: Bench;
afterEach(() => b.close());

describe("receiving over Socket Mode", () => {
  it("hears a direct message and acknowledges it", async () => {
    b = await bench();
    const { ts } = b.slack.say({ channel: "D1", user: "U1", text: "hello" });
    await b.slack.until(() => b.slack.deliveries.all[0]?.state === "acked");
    expect(b.inbox.received).toMatchObject([
      {
        platform: "slack",
        account: "slack",
        eventId: `T0EMU:D1:${ts}`,
        text: "hello",
        origin: { chatType: "dm", chatId: "D1", threadId: ts, userId: "U1", userName: "Ada", messageId: ts },
      },
    ]);
  });

  it("doesn't acknowledge while the inbox hasn't got it", async () => {
    b = await bench();
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let asked = false;
    b.inbox.gate = async () => {
      asked = true;
      await gate;
    };
    b.slack.say({ channel: "D1", user: "U1", text: "hello" });
    await b.slack.until(() => asked);
    expect(b.slack.deliveries.all[0]!.state).toBe("flying");
    open();
    await b.slack.until(() => b.slack.deliveries.all[0]?.state === "acked");
  });

  it("gets a message again that the inbox refused, under the same event id, whatever its retry number", async () => {
    b = await bench({ emulator: { ackTimeoutMs: 100 } });
    const tried: string[] = [];
    b.inbox.gate = async ({ eventId }) => {
      tried.push(eventId);
      if (tried.length < 3) throw new Error("disk full");
    };
    b.slack.say({ channel: "D1", user: "U1", text: "hello" });
    await b.slack.until(() => b.slack.deliveries.all[0]?.state === "acked");
    expect(new Set(tried).size).toBe(1);
    expect(b.slack.deliveries.all[0]!.attempts).toBe(3);
    expect(b.inbox.texts).toEqual(["hello"]);
  });

  it("gives a mention's two events, and a duplicate, one event id", async () => {
    b = await bench();
    b.slack.duplicateNext();
    b.slack.say({ channel: "C1", user: "U1", text: "<@U0BOT> hello" });
    await b.slack.until(() => b.inbox.received.length === 3);
    expect(new Set(b.inbox.received.map(({ eventId }) => eventId)).size).toBe(1);
    for (const message of b.inbox.received) expect(message).toMatchObject({ text: "hello", mentioned: true });
  });

  it("keeps the order of a conversation though a file takes its time", async () => {
    b = await bench({ adapter: { dmTopLevelThreadsAsSessions: false } });
    b.slack.faults.next("users.info", { kind: "delay", ms: 200 });
    b.slack.say({ channel: "D1", user: "U1", text: "first" });
    b.slack.say({ channel: "D1", user: "U1", text: "second" });
    await b.slack.until(() => b.inbox.received.length === 2);
    expect(b.inbox.texts).toEqual(["first", "second"]);
  });

  it("takes an edit and a delete for what they are", async () => {
    b = await bench();
    const { ts } = b.slack.say({ channel: "D1", user: "U1", text: "helo" });
    b.slack.edit("D1", ts, "hello");
    b.slack.delete("D1", ts);
    await b.slack.until(() => b.inbox.deletes.length === 1);
    const ref = { platform: "slack", account: "slack", chatId: "D1", messageId: ts };
    expect(b.inbox.edits).toEqual([{ ...ref, text: "hello" }]);
    expect(b.inbox.deletes).toEqual([ref]);
  });

  it("acknowledges what it doesn't know and goes on", async () => {
    b = await bench();
    b.slack.event({ type: "emoji_changed", subtype: "add" });
    b.slack.event({ type: "message", channel: "D1" });
    b.slack.event({});
    b.slack.deliveries.submit("interactive", { type: "block_actions" });
    b.slack.sockets.broadcast({ type: "something_new" });
    b.slack.sockets.broadcast({
      type: "events_api",
      envelope_id: "e1",
      payload: { type: "app_rate_limited" },
    });
    b.slack.say({ channel: "D1", user: "U1", text: "still there?" });
    await b.slack.until(() => b.slack.deliveries.all.every(({ state }) => state === "acked"));
    expect(b.inbox.texts).toEqual(["still there?"]);
  });

  it("knows a thread it has taken part in, even after a restart", async () => {
    b = await bench();
    const root = b.slack.say({ channel: "C1", user: "U1", text: "what about lunch?", silently: true });
    b.slack.workspace.add({ channel: "C1", user: "U0BOT", botId: "B0BOT", text: "Pizza", threadTs: root.ts });
    b.slack.say({ channel: "C1", user: "U2", text: "agreed", threadTs: root.ts });
    await b.slack.until(() => b.inbox.received.length === 1);
    expect(b.inbox.received[0]).toMatchObject({ threadWithBot: true, mentioned: false, repliedToBot: false });
  });

  it("quotes how a thread began when it is called into it", async () => {
    b = await bench();
    const root = b.slack.say({
      channel: "C1",
      user: "U1",
      text: "the plan: <https://x.y|here>",
      silently: true,
    });
    b.slack.say({ channel: "C1", user: "U2", text: "<@U0BOT> what do you think?", threadTs: root.ts });
    await b.slack.until(() => b.inbox.received.length === 2);
    expect(b.inbox.received[0]!.quoted).toEqual({
      text: "the plan: [here](https://x.y)",
      messageId: root.ts,
    });
  });
});

describe("slash commands", () => {
  it("belong to the thread where their user last spoke", async () => {
    b = await bench();
    const { ts } = b.slack.say({ channel: "D1", user: "U1", text: "hello" });
    await b.slack.until(() => b.inbox.received.length === 1);
    const command = b.slack.command("D1", "U1", "/hermes", "status");
    await b.slack.until(() => command.state === "acked");
    expect(b.inbox.received[1]).toMatchObject({ text: "/status", origin: { threadId: ts, userId: "U1" } });
  });

  it("find that thread in the history after a restart", async () => {
    b = await bench();
    const old = b.slack.say({ channel: "D1", user: "U1", text: "old", silently: true });
    b.slack.say({ channel: "D1", user: "U1", text: "newer", silently: true });
    b.slack.say({ channel: "D1", user: "U1", text: "reply", threadTs: old.ts, silently: true });
    b.slack.command("D1", "U1", "/reset");
    await b.slack.until(() => b.inbox.received.length === 1);
    expect(b.inbox.received[0]).toMatchObject({ text: "/reset", origin: { threadId: old.ts } });
  });

  it("are written with a bang in messages once they are known", async () => {
    b = await bench();
    await b.adapter.registerCommands([{ name: "status", description: "" }], new AbortController().signal);
    b.slack.say({ channel: "D1", user: "U1", text: "!status now" });
    b.slack.say({ channel: "D1", user: "U1", text: "!important" });
    await b.slack.until(() => b.inbox.received.length === 2);
    expect(new Set(b.inbox.texts)).toEqual(new Set(["/status now", "!important"]));
  });
});
