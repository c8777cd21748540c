import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TelegramAdapter } from "../../../src/adapters/telegram/index.js";
import type { EmulatedChat, Person } from "../../emulators/telegram/index.js";
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
  it("arrives as the chat shows it, with its id as the receipt", async () => {
    const receipt = await adapter.send(outbound(toDm(), "**Hello** <you> & `me`"), patience());
    const [shown] = bench.emulator.said(dm.id);
    expect(shown).toMatchObject({
      text: "Hello <you> & me",
      html: "<b>Hello</b> &lt;you&gt; &amp; <code>me</code>",
    });
    expect(receipt.messageIds).toEqual([String(shown?.id)]);
  });

  it("of exactly the limit is one message, one more is two", async () => {
    const one = await adapter.send(outbound(toDm(), "x".repeat(4096)), patience());
    const two = await adapter.send(outbound(toDm(), "x".repeat(4097)), patience());
    expect([one.messageIds.length, two.messageIds.length]).toEqual([1, 2]);
  });

  it("is sent as plain text once when Telegram can't parse it", async () => {
    const reason = `Bad Request: can't parse entities: Can't find end tag corresponding to start tag "b"`;
    bench.emulator.faults.fail("sendMessage", 400, reason);
    await adapter.send(outbound(toDm(), "**bold**"), patience());
    expect(bench.emulator.said(dm.id)).toMatchObject([{ text: "bold", html: undefined }]);
  });

  it("to no chat at all is refused", async () => {
    const error = await failureOf(adapter.send(outbound({ chatId: "nonsense" }, "hi"), patience()));
    expect(error.outcome).toBe("refused");
  });
});

describe("reply-to mode", () => {
  const replies = async (mode: "all" | "off") => {
    const other = await bench.connected({ replyToMode: mode });
    const { message } = bench.emulator.users.writeDm(ann, "tell me");
    await other.send(
      outbound(toDm({ replyTo: String(message.message_id) }), "word ".repeat(1200)),
      patience(),
    );
    return bench.emulator.said(dm.id).map(({ replyTo }) => replyTo === message.message_id);
  };

  it("all quotes the question in every part", async () => {
    expect(await replies("all")).toEqual([true, true]);
  });

  it("off in none", async () => {
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
    await adapter.send(outbound({ ...target, threadId: String(topic) }, "there"), patience());
    expect(emulator.said(forum.id)).toMatchObject([{ threadId: topic, replyTo: undefined }]);
  });

  it("says in the main chat what Telegram refuses in a private topic, and why", async () => {
    const topic = bench.emulator.chats.topic(dm.id);
    await adapter.send(outbound(toDm({ threadId: String(topic) }), "in its topic"), patience());
    bench.emulator.chats.removeTopic(dm.id, topic);
    await adapter.send(outbound(toDm({ threadId: String(topic) }), "hello"), patience());
    expect(bench.emulator.said(dm.id)).toMatchObject([
      { threadId: topic },
      { threadId: undefined, text: "(Telegram refuses the topic, so I answer here.)\nhello" },
    ]);
    expect(bench.log.some((line) => line.message.includes("private topic"))).toBe(true);
  });

  it("gives up on a group's topic that was deleted", async () => {
    const forum = bench.emulator.chats.make("supergroup", { forum: true });
    const target = { chatType: "group", chatId: String(forum.id), threadId: "77" };
    const error = await failureOf(adapter.send(outbound(target, "hi"), patience()));
    expect(error).toMatchObject({
      outcome: "refused",
      message: expect.stringContaining("topic was deleted"),
    });
  });
});

describe("a group that became a supergroup", () => {
  it("gets the answer under its new id, and the gateway is told", async () => {
    const { emulator, gateway } = bench;
    const group = emulator.chats.make("group");
    const moved = emulator.chats.upgrade(group.id);
    const target = { chatType: "group", chatId: String(group.id), replyTo: "5" };
    await adapter.send(outbound(target, "hi"), patience());
    await adapter.send(outbound(target, "again"), patience());
    expect(said(moved.id)).toEqual(["hi", "again"]);
    expect(gateway.moves).toEqual([[String(group.id), String(moved.id)]]);
  });

  it("gets nothing while the gateway can't note the new id", async () => {
    const { emulator, gateway } = bench;
    const group = emulator.chats.make("group");
    const moved = emulator.chats.upgrade(group.id);
    const message = outbound({ chatType: "group", chatId: String(group.id) }, "hi");
    const note = gateway.chatMoved.bind(gateway);
    gateway.chatMoved = () => Promise.reject(new Error("the disk is full"));
    expect((await failureOf(adapter.send(message, patience()))).outcome).toBe("never_sent");
    gateway.chatMoved = note;
    await adapter.send(message, patience());
    expect(said(moved.id)).toEqual(["hi"]);
    expect(gateway.moves).toHaveLength(1);
  });
});

describe("what Telegram says no to", () => {
  const refusals: [number, string, RegExp][] = [
    [403, "Forbidden: bot was blocked by the user", /unblock/],
    [403, "Forbidden: bot was kicked from the group chat", /add the bot/],
    [400, "Bad Request: chat not found", /gone/],
    [400, "Bad Request: not enough rights to send text messages to the chat", /give the bot the right/],
    [400, "Bad Request: TOPIC_CLOSED", /open the topic/],
    [400, "Bad Request: message is too long", /too long/],
  ];

  it.each(refusals)("%i %s is refused, with what to do", async (code, description, remedy) => {
    bench.emulator.faults.fail("sendMessage", code, description);
    const error = await failureOf(adapter.send(outbound(toDm(), "hi"), patience()));
    expect(error.outcome).toBe("refused");
    expect(error.message).toMatch(remedy);
  });
});

describe("too many requests", () => {
  it("tells how long to wait, and isn't made longer by asking again", async () => {
    bench.emulator.faults.flood(dm.id, 3);
    const first = await failureOf(adapter.send(outbound(toDm(), "hi"), patience()));
    expect(first).toMatchObject({ outcome: "never_sent", scope: "chat" });
    expect(first.retryAfterMs).toBeGreaterThan(2000);
    const calls = bench.emulator.callsOf("sendMessage").length;
    const second = await failureOf(adapter.send(outbound(toDm(), "hi"), patience()));
    expect(second.outcome).toBe("never_sent");
    expect(second.retryAfterMs).toBeLessThanOrEqual(first.retryAfterMs!);
    expect(bench.emulator.callsOf("sendMessage")).toHaveLength(calls);
  });

  it("in two chats at once means the whole bot", async () => {
    const other = bench.emulator.chats.privateWith(bench.emulator.users.person("Bob"));
    bench.emulator.faults.flood("*", 3);
    await failureOf(adapter.send(outbound(toDm(), "hi"), patience()));
    const error = await failureOf(adapter.send(outbound({ chatId: String(other.id) }, "hi"), patience()));
    expect(error.scope).toBe("account");
  });
});

describe("when nobody knows whether it arrived", () => {
  it("says unknown, doesn't try again by itself, and marks the repeat", async () => {
    bench.emulator.faults.dropAfter("sendMessage");
    const message = outbound(toDm(), "hello");
    const error = await failureOf(adapter.send(message, patience()));
    expect(error.outcome).toBe("unknown");
    expect(error.message).not.toContain(bench.emulator.token);
    expect(said()).toEqual(["hello"]);
    await adapter.send({ ...message, mayBeRepeat: true }, patience());
    expect(said()).toEqual(["hello", "(This may be a repeat.)\nhello"]);
  });

  it("calls a proxy's page and a 500 unknown too", async () => {
    bench.emulator.faults.badGateway("sendMessage");
    const page = await failureOf(adapter.send(outbound(toDm(), "hi"), patience()));
    bench.emulator.faults.fail("sendMessage", 500, "Internal Server Error");
    const failed = await failureOf(adapter.send(outbound(toDm(), "hi"), patience()));
    expect([page.outcome, failed.outcome]).toEqual(["unknown", "unknown"]);
  });

  it("marks the repeat of a message that an earlier process may have sent", async () => {
    await adapter.send(outbound(toDm(), "x".repeat(4096), { mayBeRepeat: true }), patience());
    const parts = said();
    expect(parts[0]).toMatch(/^\(This may be a repeat\.\)/);
    expect(parts.join("").match(/x/g)).toHaveLength(4096);
  });
});

describe("a long answer that fails in the middle", () => {
  const long = "word ".repeat(2200);

  it("goes on where it stopped", async () => {
    const message = outbound(toDm(), long);
    const whole = await adapter.send(outbound(toDm(), long), patience());
    const before = bench.emulator.said(dm.id).length;
    bench.emulator.faults.after("sendMessage", 1).dropBefore("sendMessage");
    await failureOf(adapter.send(message, patience()));
    expect(bench.emulator.said(dm.id).length).toBe(before + 1);
    const receipt = await adapter.send(message, patience());
    expect(receipt.messageIds).toHaveLength(whole.messageIds.length);
    const again = said()
      .slice(before)
      .map((text) => text.replace(/^\(This may be a repeat\.\)\n/, ""));
    expect(again).toEqual(said().slice(0, before));
  });

  it("says that it stopped in the middle, and marks nothing when it goes on", async () => {
    const message = outbound(toDm(), long);
    bench.emulator.faults.after("sendMessage", 1).fail("sendMessage", 429, "Too Many Requests");
    const error = await failureOf(adapter.send(message, patience()));
    expect(error).toMatchObject({ outcome: "never_sent", partly: true });
    await until("it is sent", async () => {
      const again = adapter.send({ ...message, mayBeRepeat: true }, patience());
      return (await again.catch(() => undefined))?.messageIds.length === 3;
    });
    expect(said().map((text) => text.startsWith("(This may be"))).toEqual([false, false, false]);
  });

  it("marks only the part that may have arrived", async () => {
    const message = outbound(toDm(), long);
    bench.emulator.faults.after("sendMessage", 1).dropAfter("sendMessage");
    expect((await failureOf(adapter.send(message, patience()))).outcome).toBe("unknown");
    const receipt = await adapter.send({ ...message, mayBeRepeat: true }, patience());
    expect(receipt.messageIds).toHaveLength(3);
    expect(said().map((text) => text.startsWith("(This may be"))).toEqual([false, false, true, false]);
  });
});
