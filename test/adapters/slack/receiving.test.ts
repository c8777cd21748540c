import { afterEach, describe, expect, it } from "vitest";
import { type Bench, bench } from "./harness.js";

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
