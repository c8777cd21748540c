import { afterEach, describe, expect, it } from "vitest";
import { type Bench, bench, outbound, patient } from "./harness.js";

let b: Bench;
afterEach(() => b.close());

describe("receiving over Socket Mode", () => {
  it("gives a mention's two events, and a duplicate, one event id", async () => {
    b = await bench();
    b.slack.duplicateNext();
    b.slack.say({ channel: "C1", user: "U1", text: "<@U0BOT> hello" });
    await b.slack.until(() => b.inbox.received.length === 3);
    expect(new Set(b.inbox.received.map(({ eventId }) => eventId)).size).toBe(1);
    for (const message of b.inbox.received) expect(message).toMatchObject({ text: "hello", mentioned: true });
  });

  it("passes over what nobody understands, once, and tells the operator", async () => {
    b = await bench();
    const odd = b.slack.event({
      type: "message",
      channel: "D1",
      user: "U1",
      ts: "1794840777.000001",
      text: 7,
    });
    await b.slack.until(() => odd.state === "acked");
    expect([odd.attempts, b.inbox.received.length]).toEqual([1, 0]);
    expect(b.log).toContainEqual(expect.stringMatching(/^warn: An event from Slack/));
  });

  it("keeps the order of a conversation though a file takes its time", async () => {
    b = await bench({ adapter: { dmTopLevelThreadsAsSessions: false } });
    b.slack.faults.next("users.info", { kind: "delay", ms: 200 });
    b.slack.say({ channel: "D1", user: "U1", text: "first" });
    b.slack.say({ channel: "D1", user: "U1", text: "second" });
    await b.slack.until(() => b.inbox.received.length === 2);
    expect(b.inbox.texts).toEqual(["first", "second"]);
  });

  it("knows a thread it has taken part in, even after a restart", async () => {
    b = await bench();
    const root = b.slack.say({ channel: "C1", user: "U1", text: "what about lunch?", silently: true });
    b.slack.workspace.add({ channel: "C1", user: "U0BOT", botId: "B0BOT", text: "Pizza", threadTs: root.ts });
    b.slack.say({ channel: "C1", user: "U2", text: "agreed", threadTs: root.ts });
    await b.slack.until(() => b.inbox.received.length === 1);
    expect(b.inbox.received[0]).toMatchObject({ threadWithBot: true, mentioned: false, repliedToBot: false });
  });

  it("doesn't take a message for somebody else's because Slack couldn't tell what thread it is in", async () => {
    b = await bench();
    const root = b.slack.say({ channel: "C1", user: "U1", text: "what about lunch?", silently: true });
    b.slack.workspace.add({ channel: "C1", user: "U0BOT", botId: "B0BOT", text: "Pizza", threadTs: root.ts });
    b.slack.faults.next("conversations.replies", { kind: "cut_before" });
    for (const text of ["agreed", "so be it"])
      b.slack.say({ channel: "C1", user: "U2", text, threadTs: root.ts });
    await b.slack.until(() => b.inbox.received.length === 2);
    expect(b.inbox.received).toMatchObject([
      { text: "agreed", threadWithBot: true },
      { text: "so be it", threadWithBot: true },
    ]);
    b.slack.scopes.delete("channels:history");
    const other = b.slack.say({ channel: "C1", user: "U1", text: "and supper?", silently: true });
    b.slack.say({ channel: "C1", user: "U2", text: "no idea", threadTs: other.ts });
    await b.slack.until(() => b.inbox.received.length === 3);
    expect(b.inbox.received[2]).toMatchObject({ text: "no idea", threadWithBot: false });
  });

  it("knows a long thread it was called into late, also after a restart", async () => {
    b = await bench();
    const root = b.slack.say({ channel: "C1", user: "U1", text: "a long story", silently: true });
    for (let i = 0; i < 150; i++)
      b.slack.say({ channel: "C1", user: "U2", text: `line ${i}`, threadTs: root.ts, silently: true });
    b.slack.say({ channel: "C1", user: "U2", text: "<@U0BOT> hi", threadTs: root.ts, silently: true });
    b.slack.say({ channel: "C1", user: "U2", text: "and?", threadTs: root.ts });
    await b.slack.until(() => b.inbox.received.length === 1);
    expect(b.inbox.received[0]).toMatchObject({ text: "and?", threadWithBot: true });
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

  it("don't belong to what their user says to others", async () => {
    b = await bench();
    const talk = b.slack.say({ channel: "C1", user: "U1", text: "<@U0BOT> hello" });
    b.slack.say({ channel: "C1", user: "U1", text: "lunch, anybody?" });
    await b.slack.until(() => b.inbox.received.length === 3);
    b.slack.command("C1", "U1", "/hermes", "status");
    await b.slack.until(() => b.inbox.received.length === 4);
    expect(b.inbox.received[3]).toMatchObject({ text: "/status", origin: { threadId: talk.ts } });
    const { slack, inbox } = b;
    await b.adapter.disconnect();
    const next = await bench({ slack, inbox, adapter: { catchUpMaxAgeSeconds: 0 } });
    slack.command("C1", "U1", "/hermes", "usage");
    await slack.until(() => inbox.received.length === 5);
    expect(inbox.received[4]).toMatchObject({ text: "/usage", origin: { threadId: talk.ts } });
    slack.command("C1", "U2", "/hermes", "help");
    await slack.until(() => inbox.received.length === 6);
    expect(inbox.received[5]).toMatchObject({ text: "/help", origin: { threadId: null } });
    await next.close();
  });

  it("belong to a thread in which the bot answered them, called by its name or not", async () => {
    b = await bench();
    const { ts } = b.slack.say({ channel: "C1", user: "U1", text: "what is the time?" });
    await b.slack.until(() => b.inbox.received.length === 1);
    const target = { chatType: "group", chatId: "C1", threadId: ts, replyTo: ts };
    await b.adapter.send(outbound(target, "noon"), patient());
    b.slack.command("C1", "U1", "/hermes", "status");
    await b.slack.until(() => b.inbox.received.length === 2);
    expect(b.inbox.received[1]).toMatchObject({ text: "/status", origin: { threadId: ts } });
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
