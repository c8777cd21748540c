import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TelegramAdapter } from "../../../src/adapters/telegram/index.js";
import type { Target } from "../../../src/message.js";
import { Preview } from "../../../src/pipeline/preview.js";
import type { EmulatedChat } from "../../emulators/telegram/index.js";
import { send } from "../../support/send.js";
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

describe("a preview", () => {
  it("is one draft in a private chat and leaves no message", async () => {
    expect(await show(inDm, null, "Once")).toBeNull();
    expect(await show(inDm, null, "Once **upon**")).toBeNull();
    expect(bench.emulator.world.drafts).toMatchObject([
      { chatId: dm.id, draftId: 71, text: "Once" },
      { chatId: dm.id, draftId: 71, text: "Once upon" },
    ]);
    expect(bench.emulator.said(dm.id)).toEqual([]);
  });

  it("may be shown twice with the same text", async () => {
    const id = await show(inGroup, null, "Once");
    expect(await show(inGroup, id, "Once")).toBe(id);
  });

  it("becomes the first part of a long answer", async () => {
    const id = await show(inGroup, null, "Once");
    const receipt = await send(
      adapter,
      outbound(inGroup, "word ".repeat(1200), { replaces: id! }),
      patience(),
    );
    expect(receipt.messageIds[0]).toBe(id);
    expect(bench.emulator.said(group.id)).toHaveLength(2);
  });

  it("is edited again, not posted, after an attempt with an unknown outcome", async () => {
    const id = await show(inGroup, null, "Once");
    const message = outbound(inGroup, "The end.", { replaces: id! });
    bench.emulator.faults.dropAfter("editMessageText");
    expect((await failureOf(send(adapter, message, patience()))).outcome).toBe("never_sent");
    await send(adapter, { ...message, mayBeRepeat: true }, patience());
    expect(bench.emulator.said(group.id)).toMatchObject([{ text: "The end." }]);
  });

  it("is replaced by a new message when a user deleted it", async () => {
    const id = await show(inGroup, null, "Once");
    bench.emulator.chats.find(group.id, id)!.deleted = true;
    await send(adapter, outbound(inGroup, "The end.", { replaces: id! }), patience());
    expect(bench.emulator.said(group.id)).toMatchObject([{ text: "The end.", edits: 0 }]);
  });

  it("leaves other messages alone in a chat that has moved, where its number belongs to another", async () => {
    const old = bench.emulator.chats.make("group");
    const there = { ...inGroup, chatId: String(old.id) };
    const moved = bench.emulator.chats.upgrade(old.id);
    const number = await show({ ...inGroup, chatId: String(moved.id) }, null, "another");
    expect((await failureOf(show(there, number, "Once"))).outcome).toBe("refused");
    for (const text of ["The end.", "The end, once it is known."])
      await send(adapter, outbound(there, text, { replaces: number! }), patience());
    expect(bench.emulator.said(moved.id).map(({ text }) => text)).toEqual([
      "another",
      "The end.",
      "The end, once it is known.",
    ]);
    expect((await failureOf(show(there, number, "Once"))).outcome).toBe("refused");
  });

  it("is a message in private chats too if the server doesn't support drafts", async () => {
    bench.emulator.faults.fail("sendMessageDraft", 404, "Not Found: method not found", 9);
    const id = await show(inDm, null, "Once");
    expect(id).not.toBeNull();
    expect(await show(inDm, id, "Once upon")).toBe(id);
    expect(bench.emulator.callsOf("sendMessageDraft")).toHaveLength(1);
  });

  it("is held back when Telegram limits drafts, but the answer isn't", async () => {
    bench.emulator.faults.fail("sendMessageDraft", 429, "Too Many Requests: retry after 1");
    expect((await failureOf(show(inDm, null, "Once"))).retryAfterMs).toBe(1000);
    await send(adapter, outbound(inDm, "Once upon a time."), patience());
    expect(bench.emulator.said(dm.id)).toMatchObject([{ text: "Once upon a time." }]);
    expect((await failureOf(show(inDm, null, "Once"))).outcome).toBe("never_sent");
    expect(bench.emulator.callsOf("sendMessageDraft")).toHaveLength(1);
  });

  it("doesn't delay the answer when a draft call hangs", async () => {
    bench.emulator.faults.hang("sendMessageDraft");
    const failures: unknown[] = [];
    const preview = new Preview({
      adapter,
      target: inDm,
      record: { begin: async () => true, name: async () => undefined },
      everyMs: 0,
      minChars: 1,
      cursor: "",
      isOpen: () => true,
      counted: () => undefined,
      failed: (error) => failures.push(error),
    });
    preview.update(() => "Once");
    await until("the draft is asked for", () => bench.emulator.callsOf("sendMessageDraft").length === 1);
    const limit = setTimeout(() => bench.emulator.disconnect(), QUICK.callMs / 2);
    await preview.end();
    clearTimeout(limit);
    expect(failures).toMatchObject([{ message: expect.stringContaining("aborted") }]);
  });

  it("is shown with unfinished Markdown", async () => {
    const id = await show(inGroup, null, "```js\nlet a = [1, **2");
    expect(bench.emulator.said(group.id)[0]?.text).toBe("let a = [1, **2");
    expect(await show(inGroup, id, "| a | b\n|--")).toBe(id);
  });

  it("shows the end of a text that is too long for a draft", async () => {
    await show(inDm, null, `${"word ".repeat(1200)} newest`);
    expect(bench.emulator.world.drafts.at(-1)?.text).toContain("newest");
  });
});

describe("an abandoned preview", () => {
  const abandon = (target: Target, id: string | null, text: string) =>
    adapter.abandon(target, id!, text, patience());

  it("may be abandoned twice, and is refused if a user deleted it", async () => {
    const id = await show(inGroup, null, "Once ▉");
    await abandon(inGroup, id, "Once");
    await abandon(inGroup, id, "Once");
    expect(bench.emulator.said(group.id)).toMatchObject([{ text: "Once" }]);
    bench.emulator.chats.find(group.id, id)!.deleted = true;
    expect((await failureOf(abandon(inGroup, id, "Once"))).outcome).toBe("refused");
    expect(bench.emulator.said(group.id)).toEqual([]);
  });

  it("is not touched in a chat that has moved, where its number belongs to another message", async () => {
    const old = bench.emulator.chats.make("group");
    const there = { ...inGroup, chatId: String(old.id) };
    const id = await show(there, null, "Once ▉");
    const moved = bench.emulator.chats.upgrade(old.id);
    const others = await show({ ...inGroup, chatId: String(moved.id) }, null, "another");
    for (const number of [id, others])
      for (const text of ["Once", ""])
        expect((await failureOf(abandon(there, number, text))).outcome).toBe("refused");
    expect(bench.emulator.said(moved.id).map(({ text }) => text)).toContain("another");
  });
});

describe("the typing indicator", () => {
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

  it("isn't shown while Telegram asks to wait", async () => {
    bench.emulator.faults.flood(dm.id, 3);
    await failureOf(send(adapter, outbound(inDm, "hi"), patience()));
    adapter.type(inDm);
    adapter.type(inGroup);
    await until("the other chat shows it", () => bench.emulator.world.actions.length === 1);
    expect(bench.emulator.callsOf("sendChatAction")).toHaveLength(1);
  });

  it("is held back when Telegram limits it, but messages aren't", async () => {
    bench.emulator.faults.fail("sendChatAction", 429, "Too Many Requests: retry after 1");
    adapter.type(inDm);
    await until("it was refused", () => bench.emulator.callsOf("sendChatAction")[0]?.code === 429);
    await send(adapter, outbound(inDm, "the answer"), patience());
    expect(bench.emulator.said(dm.id)).toMatchObject([{ text: "the answer" }]);
    adapter.type(inDm);
    expect(bench.emulator.callsOf("sendChatAction")).toHaveLength(1);
  });

  it("leaves no listeners on the connection's signal", async () => {
    const warnings: Error[] = [];
    const collect = (warning: Error) => warnings.push(warning);
    process.on("warning", collect);
    bench.emulator.faults.hang("sendChatAction", 30);
    for (let i = 0; i < 30; i += 1) adapter.type({ ...inDm, chatId: String(1000 + i) });
    await until("all are asked for", () => bench.emulator.callsOf("sendChatAction").length === 30);
    process.off("warning", collect);
    expect(warnings).toEqual([]);
  });

  it("may fail without an effect on messages", async () => {
    bench.emulator.faults.fail("sendChatAction", 403, "Forbidden: bot was blocked by the user");
    adapter.type(inDm);
    adapter.type({ ...inDm, chatId: "nonsense" });
    await until("it has failed", () => bench.emulator.callsOf("sendChatAction")[0]?.code === 403);
  });
});

describe("the menu", () => {
  it("contains the commands that Telegram allows", async () => {
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

  it("may be registered again after an unknown outcome", async () => {
    bench.emulator.faults.dropAfter("setMyCommands");
    const error = await failureOf(adapter.registerCommands([], patience()));
    expect(error.outcome).toBe("never_sent");
  });
});
