import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TelegramAdapter } from "../../../src/adapters/telegram/index.js";
import type { EmulatedChat, Person } from "../../emulators/telegram/index.js";
import { send } from "../../support/send.js";
import { until } from "../../support/until.js";
import { Bench, failureOf, outbound, patience } from "./support.js";

let bench: Bench;
let adapter: TelegramAdapter;
let ann: Person;
let dm: EmulatedChat;

beforeEach(async () => {
  bench = new Bench();
  await bench.emulator.start();
  adapter = await bench.connected();
  ann = bench.emulator.users.person("Ann");
  dm = bench.emulator.chats.privateWith(ann);
});

afterEach(() => bench.close());

const toDm = (more: object = {}) => ({ chatId: String(dm.id), ...more });
const said = (chatId = dm.id) => bench.emulator.said(chatId).map(({ text }) => text);

describe("an answer", () => {
  it("arrives formatted, and its id is the receipt", async () => {
    const receipt = await send(adapter, outbound(toDm(), "**Hello** <you> & `me`"), patience());
    const [shown] = bench.emulator.said(dm.id);
    expect(shown).toMatchObject({
      text: "Hello <you> & me",
      html: "<b>Hello</b> &lt;you&gt; &amp; <code>me</code>",
    });
    expect(receipt.messageIds).toEqual([String(shown?.id)]);
  });

  it("is one message up to the limit, and two above it", async () => {
    const one = await send(adapter, outbound(toDm(), "x".repeat(4096)), patience());
    const two = await send(adapter, outbound(toDm(), "x".repeat(4097)), patience());
    expect([one.messageIds.length, two.messageIds.length]).toEqual([1, 2]);
  });

  it("is sent as plain text when Telegram can't parse the HTML", async () => {
    const reason = `Bad Request: can't parse entities: Can't find end tag corresponding to start tag "b"`;
    bench.emulator.faults.fail("sendMessage", 400, reason);
    await send(adapter, outbound(toDm(), "**bold**"), patience());
    expect(bench.emulator.said(dm.id)).toMatchObject([{ text: "bold", html: undefined }]);
  });

  it("without a valid chat is refused", async () => {
    const error = await failureOf(send(adapter, outbound({ chatId: "nonsense" }, "hi"), patience()));
    expect(error.outcome).toBe("refused");
  });
});

describe("reply-to mode", () => {
  const replies = async (mode: "all" | "off") => {
    const other = await bench.connected({ replyToMode: mode });
    const { message } = bench.emulator.users.writeDm(ann, "tell me");
    await send(
      other,
      outbound(toDm({ replyTo: String(message.message_id) }), "word ".repeat(1200)),
      patience(),
    );
    return bench.emulator.said(dm.id).map(({ replyTo }) => replyTo === message.message_id);
  };

  it("'all' quotes the question in every part", async () => {
    expect(await replies("all")).toEqual([true, true]);
  });

  it("'off' never quotes", async () => {
    expect(await replies("off")).toEqual([false, false]);
  });
});

describe("topics", () => {
  it("answers in the forum topic of the question, without a quote", async () => {
    const { emulator } = bench;
    const forum = emulator.chats.make("supergroup", { forum: true });
    const topic = emulator.chats.topic(forum.id);
    const { message } = emulator.users.write(forum, { from: ann, text: "hi", topic });
    const target = { chatType: "group", chatId: String(forum.id), replyTo: String(message.message_id) };
    await send(adapter, outbound({ ...target, threadId: String(topic) }, "there"), patience());
    expect(emulator.said(forum.id)).toMatchObject([{ threadId: topic, replyTo: undefined }]);
  });

  it("falls back to the main chat when Telegram refuses a private topic, with an explanation", async () => {
    const topic = bench.emulator.chats.topic(dm.id);
    await send(adapter, outbound(toDm({ threadId: String(topic) }), "in its topic"), patience());
    bench.emulator.chats.removeTopic(dm.id, topic);
    await send(adapter, outbound(toDm({ threadId: String(topic) }), "hello"), patience());
    expect(bench.emulator.said(dm.id)).toMatchObject([
      { threadId: topic },
      { threadId: undefined, text: "(Telegram refuses the topic, so I'm answering here.)\nhello" },
    ]);
    expect(bench.log.some((line) => line.message.includes("private topic"))).toBe(true);
  });

  it("refuses to send to a deleted topic of a group", async () => {
    const forum = bench.emulator.chats.make("supergroup", { forum: true });
    const target = { chatType: "group", chatId: String(forum.id), threadId: "77" };
    const error = await failureOf(send(adapter, outbound(target, "hi"), patience()));
    expect(error).toMatchObject({
      outcome: "refused",
      message: expect.stringContaining("topic was deleted"),
    });
  });
});

describe("a group that became a supergroup", () => {
  it("gets the answer under its new id, and the move is reported", async () => {
    const { emulator, gateway } = bench;
    const group = emulator.chats.make("group");
    const moved = emulator.chats.upgrade(group.id);
    const target = { chatType: "group", chatId: String(group.id), replyTo: "5" };
    await send(adapter, outbound(target, "hi"), patience());
    await send(adapter, outbound(target, "again"), patience());
    expect(said(moved.id)).toEqual(["hi", "again"]);
    expect(gateway.moves).toEqual([[String(group.id), String(moved.id)]]);
  });

  it("gets nothing while the gateway can't store the new id", async () => {
    const { emulator, gateway } = bench;
    const group = emulator.chats.make("group");
    const moved = emulator.chats.upgrade(group.id);
    const message = outbound({ chatType: "group", chatId: String(group.id) }, "hi");
    const note = gateway.chatMoved.bind(gateway);
    gateway.chatMoved = () => Promise.reject(new Error("the disk is full"));
    expect((await failureOf(send(adapter, message, patience()))).outcome).toBe("never_sent");
    gateway.chatMoved = note;
    await send(adapter, message, patience());
    expect(said(moved.id)).toEqual(["hi"]);
    expect(gateway.moves).toHaveLength(1);
  });
});

describe("a refusal by Telegram", () => {
  const refusals: [number, string, RegExp][] = [
    [403, "Forbidden: bot was blocked by the user", /unblock/],
    [403, "Forbidden: bot was kicked from the group chat", /add the bot/],
    [400, "Bad Request: chat not found", /gone/],
    [400, "Bad Request: not enough rights to send text messages to the chat", /give the bot the right/],
    [400, "Bad Request: TOPIC_CLOSED", /open the topic/],
    [400, "Bad Request: message is too long", /too long/],
  ];

  it.each(refusals)("%i %s includes advice", async (code, description, remedy) => {
    bench.emulator.faults.fail("sendMessage", code, description);
    const error = await failureOf(send(adapter, outbound(toDm(), "hi"), patience()));
    expect(error.outcome).toBe("refused");
    expect(error.message).toMatch(remedy);
  });
});

describe("too many requests", () => {
  it("reports how long to wait, and makes no calls meanwhile", async () => {
    bench.emulator.faults.flood(dm.id, 3);
    const first = await failureOf(send(adapter, outbound(toDm(), "hi"), patience()));
    expect(first).toMatchObject({ outcome: "never_sent", scope: "chat" });
    expect(first.retryAfterMs).toBeGreaterThan(2000);
    const calls = bench.emulator.callsOf("sendMessage").length;
    const second = await failureOf(send(adapter, outbound(toDm(), "hi"), patience()));
    expect(second.outcome).toBe("never_sent");
    expect(second.retryAfterMs).toBeLessThanOrEqual(first.retryAfterMs!);
    expect(bench.emulator.callsOf("sendMessage")).toHaveLength(calls);
  });

  it("in two chats at once apply to the whole bot", async () => {
    const other = bench.emulator.chats.privateWith(bench.emulator.users.person("Bob"));
    bench.emulator.faults.flood("*", 3);
    await failureOf(send(adapter, outbound(toDm(), "hi"), patience()));
    const error = await failureOf(send(adapter, outbound({ chatId: String(other.id) }, "hi"), patience()));
    expect(error.scope).toBe("account");
  });
});

describe("a send with an unknown outcome", () => {
  it("isn't retried by the adapter, and the next attempt is marked as a repeat", async () => {
    bench.emulator.faults.dropAfter("sendMessage");
    const message = outbound(toDm(), "hello");
    const error = await failureOf(send(adapter, message, patience()));
    expect(error.outcome).toBe("unknown");
    expect(error.message).not.toContain(bench.emulator.token);
    expect(said()).toEqual(["hello"]);
    await send(adapter, { ...message, mayBeRepeat: true }, patience());
    expect(said()).toEqual(["hello", "(This may be a repeat.)\nhello"]);
  });

  it("is also reported for a proxy's error page and a 500", async () => {
    bench.emulator.faults.badGateway("sendMessage");
    const page = await failureOf(send(adapter, outbound(toDm(), "hi"), patience()));
    bench.emulator.faults.fail("sendMessage", 500, "Internal Server Error");
    const failed = await failureOf(send(adapter, outbound(toDm(), "hi"), patience()));
    expect([page.outcome, failed.outcome]).toEqual(["unknown", "unknown"]);
  });

  it("is marked as a repeat if an earlier process may have sent it", async () => {
    await send(adapter, outbound(toDm(), "x".repeat(4096), { mayBeRepeat: true }), patience());
    const parts = said();
    expect(parts[0]).toMatch(/^\(This may be a repeat\.\)/);
    expect(parts.join("").match(/x/g)).toHaveLength(4096);
  });
});

describe("a long answer that fails in the middle", () => {
  const long = "word ".repeat(2200);

  it("continues where it stopped", async () => {
    const message = outbound(toDm(), long);
    const whole = await send(adapter, outbound(toDm(), long), patience());
    const before = bench.emulator.said(dm.id).length;
    bench.emulator.faults.after("sendMessage", 1).dropBefore("sendMessage");
    await failureOf(send(adapter, message, patience()));
    expect(bench.emulator.said(dm.id).length).toBe(before + 1);
    const receipt = await send(adapter, message, patience());
    expect(receipt.messageIds).toHaveLength(whole.messageIds.length);
    const again = said()
      .slice(before)
      .map((text) => text.replace(/^\(This may be a repeat\.\)\n/, ""));
    expect(again).toEqual(said().slice(0, before));
  });

  it("continues without a mark after a rate limit", async () => {
    const message = outbound(toDm(), long);
    bench.emulator.faults.after("sendMessage", 1).fail("sendMessage", 429, "Too Many Requests");
    const error = await failureOf(send(adapter, message, patience()));
    expect(error).toMatchObject({ outcome: "never_sent" });
    await until("it is sent", async () => {
      const again = send(adapter, message, patience());
      return (await again.catch(() => undefined))?.messageIds.length === 3;
    });
    expect(said().map((text) => text.startsWith("(This may be"))).toEqual([false, false, false]);
  });

  it("marks only the part that may have arrived", async () => {
    const message = outbound(toDm(), long);
    bench.emulator.faults.after("sendMessage", 1).dropAfter("sendMessage");
    expect((await failureOf(send(adapter, message, patience()))).outcome).toBe("unknown");
    const receipt = await send(adapter, { ...message, mayBeRepeat: true }, patience());
    expect(receipt.messageIds).toHaveLength(3);
    expect(said().map((text) => text.startsWith("(This may be"))).toEqual([false, false, true, false]);
  });
});
