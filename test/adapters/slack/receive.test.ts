import { afterEach, describe, expect, it } from "vitest";
import { send } from "../../support/send.js";
import { deadline, outbound, type Setup, setup } from "./support.js";

let b: Setup;
afterEach(() => b.close());

describe("Slack events over Socket Mode", () => {
  it("gives both events of a mention and a duplicate the same event id", async () => {
    b = await setup();
    b.slack.duplicateNext();
    b.slack.say({ channel: "C1", user: "U1", text: "<@U0BOT> hello" });
    await b.slack.until(() => b.inbox.received.length === 3);
    expect(new Set(b.inbox.received.map(({ eventId }) => eventId)).size).toBe(1);
    for (const message of b.inbox.received) expect(message).toMatchObject({ text: "hello", mentioned: true });
  });

  it("acknowledges and logs a malformed event", async () => {
    b = await setup();
    const odd = b.slack.event({
      type: "message",
      channel: "D1",
      user: "U1",
      ts: "1794840777.000001",
      text: 7,
    });
    await b.slack.until(() => odd.state === "acked");
    expect([odd.attempts, b.inbox.received.length]).toEqual([1, 0]);
    expect(b.log).toContainEqual(expect.stringMatching(/^warn: Skipped an event from Slack/));
  });

  it("keeps the order of a conversation when a lookup is slow", async () => {
    b = await setup({ adapter: { dmTopLevelThreadsAsSessions: false } });
    b.slack.faults.next("users.info", { kind: "delay", ms: 200 });
    b.slack.say({ channel: "D1", user: "U1", text: "first" });
    b.slack.say({ channel: "D1", user: "U1", text: "second" });
    await b.slack.until(() => b.inbox.received.length === 2);
    expect(b.inbox.texts).toEqual(["first", "second"]);
  });

  it("recognises a thread that the bot posted in before a restart", async () => {
    b = await setup();
    const root = b.slack.say({ channel: "C1", user: "U1", text: "what about lunch?", silently: true });
    b.slack.workspace.add({ channel: "C1", user: "U0BOT", botId: "B0BOT", text: "Pizza", threadTs: root.ts });
    b.slack.say({ channel: "C1", user: "U2", text: "agreed", threadTs: root.ts });
    await b.slack.until(() => b.inbox.received.length === 1);
    expect(b.inbox.received[0]).toMatchObject({ threadWithBot: true, mentioned: false, repliedToBot: false });
  });

  it("retries a failed thread lookup before it decides whether a message is for the bot", async () => {
    b = await setup();
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

  it("recognises a long thread that mentions the bot late", async () => {
    b = await setup();
    const root = b.slack.say({ channel: "C1", user: "U1", text: "a long story", silently: true });
    for (let i = 0; i < 150; i++)
      b.slack.say({ channel: "C1", user: "U2", text: `line ${i}`, threadTs: root.ts, silently: true });
    b.slack.say({ channel: "C1", user: "U2", text: "<@U0BOT> hi", threadTs: root.ts, silently: true });
    b.slack.say({ channel: "C1", user: "U2", text: "and?", threadTs: root.ts });
    await b.slack.until(() => b.inbox.received.length === 1);
    expect(b.inbox.received[0]).toMatchObject({ text: "and?", threadWithBot: true });
  });

  it("quotes the root of a thread when the bot is mentioned in it", async () => {
    b = await setup();
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

describe("Slack slash commands", () => {
  it("belong to the thread where the user last talked to the bot", async () => {
    b = await setup();
    const { ts } = b.slack.say({ channel: "D1", user: "U1", text: "hello" });
    await b.slack.until(() => b.inbox.received.length === 1);
    const command = b.slack.command("D1", "U1", "/hermes", "status");
    await b.slack.until(() => command.state === "acked");
    expect(b.inbox.received[1]).toMatchObject({ text: "/status", origin: { threadId: ts, userId: "U1" } });
  });

  it("ignore threads in which the user only talked to other people", async () => {
    b = await setup();
    const talk = b.slack.say({ channel: "C1", user: "U1", text: "<@U0BOT> hello" });
    b.slack.say({ channel: "C1", user: "U1", text: "lunch, anybody?" });
    await b.slack.until(() => b.inbox.received.length === 3);
    b.slack.command("C1", "U1", "/hermes", "status");
    await b.slack.until(() => b.inbox.received.length === 4);
    expect(b.inbox.received[3]).toMatchObject({ text: "/status", origin: { threadId: talk.ts } });
    const { slack, inbox } = b;
    await b.adapter.disconnect();
    const next = await setup({ slack, inbox, adapter: { catchUpMaxAgeSeconds: 0 } });
    slack.command("C1", "U1", "/hermes", "usage");
    await slack.until(() => inbox.received.length === 5);
    expect(inbox.received[4]).toMatchObject({ text: "/usage", origin: { threadId: talk.ts } });
    slack.command("C1", "U2", "/hermes", "help");
    await slack.until(() => inbox.received.length === 6);
    expect(inbox.received[5]).toMatchObject({ text: "/help", origin: { threadId: null } });
    await next.close();
  });

  it("belong to a thread where the bot answered without a mention", async () => {
    b = await setup();
    const { ts } = b.slack.say({ channel: "C1", user: "U1", text: "what is the time?" });
    await b.slack.until(() => b.inbox.received.length === 1);
    const target = { chatType: "group", chatId: "C1", threadId: ts, replyTo: ts };
    await send(b.adapter, outbound(target, "noon"), deadline());
    b.slack.command("C1", "U1", "/hermes", "status");
    await b.slack.until(() => b.inbox.received.length === 2);
    expect(b.inbox.received[1]).toMatchObject({ text: "/status", origin: { threadId: ts } });
  });

  it("find their thread in the history after a restart", async () => {
    b = await setup();
    const old = b.slack.say({ channel: "D1", user: "U1", text: "old", silently: true });
    b.slack.say({ channel: "D1", user: "U1", text: "newer", silently: true });
    b.slack.say({ channel: "D1", user: "U1", text: "reply", threadTs: old.ts, silently: true });
    b.slack.command("D1", "U1", "/reset");
    await b.slack.until(() => b.inbox.received.length === 1);
    expect(b.inbox.received[0]).toMatchObject({ text: "/reset", origin: { threadId: old.ts } });
  });

  it("work as !name in messages once registered", async () => {
    b = await setup();
    await b.adapter.registerCommands([{ name: "status", description: "" }], new AbortController().signal);
    b.slack.say({ channel: "D1", user: "U1", text: "!status now" });
    b.slack.say({ channel: "D1", user: "U1", text: "!important" });
    await b.slack.until(() => b.inbox.received.length === 2);
    expect(new Set(b.inbox.texts)).toEqual(new Set(["/status now", "!important"]));
  });
});
