import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TelegramAdapter } from "../../../src/adapters/telegram/index.js";
import { Stream } from "../../../src/delivery/stream.js";
import type { Target } from "../../../src/message.js";
import type { EmulatedChat } from "../../emulators/telegram/index.js";
import { Bench, failureOf, outbound, patience, QUICK, until } from "./support.js";

let bench: Bench;
let adapter: TelegramAdapter;
let dm: EmulatedChat;
let group: EmulatedChat;
let inDm: Target;
let inGroup: Target;

beforeEach(async () => {
  bench = new Bench();
  await bench.emulator.start();
  adapter = await bench.connected();
  dm = bench.emulator.chats.privateWith(bench.emulator.users.person("Ann"));
  group = bench.emulator.chats.make("supergroup");
  inDm = outbound({ chatId: String(dm.id), replyTo: "71" }, "").target;
  inGroup = outbound({ chatType: "group", chatId: String(group.id) }, "").target;
});

afterEach(() => bench.close());

const show = (target: Target, id: string | null, text: string) => adapter.show(target, id, text, patience());

describe("an answer that is being written", () => {
  it("is a draft in a private chat, the same one all along, and leaves no message", async () => {
    expect(await show(inDm, null, "Once")).toBeNull();
    expect(await show(inDm, null, "Once **upon**")).toBeNull();
    expect(bench.emulator.world.drafts).toMatchObject([
      { chatId: dm.id, draftId: 71, text: "Once" },
      { chatId: dm.id, draftId: 71, text: "Once upon" },
    ]);
    expect(bench.emulator.said(dm.id)).toEqual([]);
  });

  it("may be shown twice the same", async () => {
    const id = await show(inGroup, null, "Once");
    expect(await show(inGroup, id, "Once")).toBe(id);
  });

  it("becomes the first part of a long answer; the rest follows", async () => {
    const id = await show(inGroup, null, "Once");
    const receipt = await adapter.send(
      outbound(inGroup, "word ".repeat(1200), { replaces: id! }),
      patience(),
    );
    expect(receipt.messageIds[0]).toBe(id);
    expect(bench.emulator.said(group.id)).toHaveLength(2);
  });

  it("is edited, not posted again, after an attempt with an unknown end", async () => {
    const id = await show(inGroup, null, "Once");
    const message = outbound(inGroup, "The end.", { replaces: id! });
    bench.emulator.faults.dropAfter("editMessageText");
    expect((await failureOf(adapter.send(message, patience()))).outcome).toBe("never_sent");
    await adapter.send({ ...message, mayBeRepeat: true }, patience());
    expect(bench.emulator.said(group.id)).toMatchObject([{ text: "The end." }]);
  });

  it("is posted anew when somebody deleted the preview", async () => {
    const id = await show(inGroup, null, "Once");
    bench.emulator.chats.find(group.id, id)!.deleted = true;
    await adapter.send(outbound(inGroup, "The end.", { replaces: id! }), patience());
    expect(bench.emulator.said(group.id)).toMatchObject([{ text: "The end.", edits: 0 }]);
  });

  it("leaves other messages alone in a chat that has moved, where its number is one of theirs", async () => {
    const old = bench.emulator.chats.make("group");
    const there = { ...inGroup, chatId: String(old.id) };
    const moved = bench.emulator.chats.upgrade(old.id);
    const number = await show({ ...inGroup, chatId: String(moved.id) }, null, "another");
    expect((await failureOf(show(there, number, "Once"))).outcome).toBe("refused");
    for (const text of ["The end.", "The end, once it is known."])
      await adapter.send(outbound(there, text, { replaces: number! }), patience());
    expect(bench.emulator.said(moved.id).map(({ text }) => text)).toEqual([
      "another",
      "The end.",
      "The end, once it is known.",
    ]);
    expect((await failureOf(show(there, number, "Once"))).outcome).toBe("refused");
  });

  it("is a message in private chats too where the server knows no drafts", async () => {
    bench.emulator.faults.fail("sendMessageDraft", 404, "Not Found: method not found", 9);
    const id = await show(inDm, null, "Once");
    expect(id).not.toBeNull();
    expect(await show(inDm, id, "Once upon")).toBe(id);
    expect(bench.emulator.callsOf("sendMessageDraft")).toHaveLength(1);
  });

  it("waits for itself and not for the answer when Telegram limits drafts", async () => {
    bench.emulator.faults.fail("sendMessageDraft", 429, "Too Many Requests: retry after 1");
    expect((await failureOf(show(inDm, null, "Once"))).retryAfterMs).toBe(1000);
    await adapter.send(outbound(inDm, "Once upon a time."), patience());
    expect(bench.emulator.said(dm.id)).toMatchObject([{ text: "Once upon a time." }]);
    expect((await failureOf(show(inDm, null, "Once"))).outcome).toBe("never_sent");
    expect(bench.emulator.callsOf("sendMessageDraft")).toHaveLength(1);
  });

  it("holds up no answer when a draft gets no reply", async () => {
    bench.emulator.faults.hang("sendMessageDraft");
    const failures: unknown[] = [];
    const stream = new Stream({
      adapter,
      target: inDm,
      messageId: null,
      everyMs: 0,
      leastChars: 1,
      cursor: "",
      isOpen: () => true,
      counted: () => undefined,
      posting: async () => true,
      shown: async () => undefined,
      notShown: async () => undefined,
      failed: (error) => failures.push(error),
    });
    stream.update("Once");
    await until("the draft is asked for", () => bench.emulator.callsOf("sendMessageDraft").length === 1);
    const limit = setTimeout(() => bench.emulator.disconnect(), QUICK.callMs / 2);
    await stream.end();
    clearTimeout(limit);
    expect(failures).toMatchObject([{ message: expect.stringContaining("given up") }]);
  });

  it("is shown however unfinished its Markdown is", async () => {
    const id = await show(inGroup, null, "```js\nlet a = [1, **2");
    expect(bench.emulator.said(group.id)[0]?.text).toBe("let a = [1, **2");
    expect(await show(inGroup, id, "| a | b\n|--")).toBe(id);
  });

  it("is shown as the newest part of a draft that has grown too long", async () => {
    await show(inDm, null, `${"word ".repeat(1200)} newest`);
    expect(bench.emulator.world.drafts.at(-1)?.text).toContain("newest");
  });
});

describe("an answer that never comes", () => {
  const breakOff = (target: Target, id: string | null, text: string) =>
    adapter.breakOff(target, id!, text, patience());

  it("may be broken off twice, and is past help where somebody deleted it", async () => {
    const id = await show(inGroup, null, "Once ▉");
    await breakOff(inGroup, id, "Once");
    await breakOff(inGroup, id, "Once");
    expect(bench.emulator.said(group.id)).toMatchObject([{ text: "Once" }]);
    bench.emulator.chats.find(group.id, id)!.deleted = true;
    expect((await failureOf(breakOff(inGroup, id, "Once"))).outcome).toBe("refused");
    expect(bench.emulator.said(group.id)).toEqual([]);
  });

  it("is not touched in a chat that has moved: its number is another message's there", async () => {
    const old = bench.emulator.chats.make("group");
    const there = { ...inGroup, chatId: String(old.id) };
    const id = await show(there, null, "Once ▉");
    const moved = bench.emulator.chats.upgrade(old.id);
    const others = await show({ ...inGroup, chatId: String(moved.id) }, null, "another");
    for (const number of [id, others])
      for (const text of ["Once", ""])
        expect((await failureOf(breakOff(there, number, text))).outcome).toBe("refused");
    expect(bench.emulator.said(moved.id).map(({ text }) => text)).toContain("another");
  });
});

describe("the typing sign", () => {
  it("is shown in the chat and the topic, General included", async () => {
    adapter.type(inDm);
    adapter.type({ ...inGroup, threadId: "1" });
    await until("both are shown", () => bench.emulator.world.actions.length === 2);
    expect(bench.emulator.world.actions).toEqual(
      expect.arrayContaining([
        { chatId: dm.id, threadId: undefined, action: "typing" },
        { chatId: group.id, threadId: 1, action: "typing" },
      ]),
    );
  });

  it("stays away while Telegram wants to be left alone", async () => {
    bench.emulator.faults.flood(dm.id, 3);
    await failureOf(adapter.send(outbound(inDm, "hi"), patience()));
    adapter.type(inDm);
    adapter.type(inGroup);
    await until("the other chat shows it", () => bench.emulator.world.actions.length === 1);
    expect(bench.emulator.callsOf("sendChatAction")).toHaveLength(1);
  });

  it("waits for itself and not for messages when Telegram limits it", async () => {
    bench.emulator.faults.fail("sendChatAction", 429, "Too Many Requests: retry after 1");
    adapter.type(inDm);
    await until("it was refused", () => bench.emulator.callsOf("sendChatAction")[0]?.code === 429);
    await adapter.send(outbound(inDm, "the answer"), patience());
    expect(bench.emulator.said(dm.id)).toMatchObject([{ text: "the answer" }]);
    adapter.type(inDm);
    expect(bench.emulator.callsOf("sendChatAction")).toHaveLength(1);
  });

  it("leaves no listeners on the connection, however many chats have one at a time", async () => {
    const warnings: Error[] = [];
    const collect = (warning: Error) => warnings.push(warning);
    process.on("warning", collect);
    bench.emulator.faults.hang("sendChatAction", 30);
    for (let i = 0; i < 30; i += 1) adapter.type({ ...inDm, chatId: String(1000 + i) });
    await until("all are asked for", () => bench.emulator.callsOf("sendChatAction").length === 30);
    process.off("warning", collect);
    expect(warnings).toEqual([]);
  });

  it("harms nobody when it fails", async () => {
    bench.emulator.faults.fail("sendChatAction", 403, "Forbidden: bot was blocked by the user");
    adapter.type(inDm);
    adapter.type({ ...inDm, chatId: "nonsense" });
    await until("it has failed", () => bench.emulator.callsOf("sendChatAction")[0]?.code === 403);
  });
});

describe("the menu", () => {
  it("shows the commands that Telegram takes", async () => {
    const commands = [
      { name: "new", description: "Start anew" },
      { name: "Not-A-Name", description: "no" },
      { name: "long", description: "x".repeat(300) },
    ];
    await adapter.registerCommands(commands, patience());
    expect(bench.emulator.world.commands).toEqual([
      { command: "new", description: "Start anew" },
      { command: "long", description: "x".repeat(256) },
    ]);
  });

  it("may be registered again when nobody knows whether it was", async () => {
    bench.emulator.faults.dropAfter("setMyCommands");
    const error = await failureOf(adapter.registerCommands([], patience()));
    expect(error.outcome).toBe("never_sent");
  });
});
