import type { CallbackQuery } from "grammy/types";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { normalisePress } from "../../../src/adapters/telegram/presses.js";
import { send } from "../../support/send.js";
import { Bench, outbound, patience, until } from "./support.js";

const SELF = { id: 4200, username: "hermes_bot" };
const ANN = { id: 7, first_name: "Ann", last_name: "Lee", is_bot: false };
const question = { id: "q1", choices: [{ id: "yes", label: "Yes" }] };

function press(more: object): ReturnType<typeof normalisePress> {
  const message = {
    message_id: 12,
    date: 5,
    chat: { id: 7, type: "private" },
    from: { id: 4200, is_bot: true },
  };
  const query = { id: "99", from: ANN, chat_instance: "1", data: "q:q1:yes", message, ...more };
  return normalisePress(query as unknown as CallbackQuery, SELF, 1000);
}

describe("a press in Telegram", () => {
  it("comes from the person who pressed, in the topic of the question", () => {
    const chat = { id: -100_5, type: "supergroup", is_forum: true, title: "Team" };
    const keyboard = { inline_keyboard: [[{ text: "Yes!", callback_data: "q:q1:yes" }]] };
    const message = {
      ...{ message_id: 12, date: 5, chat, message_thread_id: 3, is_topic_message: true },
      ...{ from: { id: 4200, is_bot: true }, reply_markup: keyboard },
    };
    expect(press({ message })).toMatchObject({
      eventId: "press/99",
      text: "Yes!",
      sentAt: 1000,
      choice: { questionId: "q1", choiceId: "yes" },
      isBot: false,
      origin: { chatId: "-1005", threadId: "3", userId: "7", userName: "Ann Lee", messageId: "12" },
    });
  });

  it("below a message that Telegram no longer shows us has no label", () => {
    const message = { message_id: 12, date: 0, chat: { id: 7, type: "private" } };
    expect(press({ message })).toMatchObject({ text: "yes", origin: { chatId: "7", chatType: "dm" } });
  });

  it.each([
    ["of another program's button", { data: "menu:1" }],
    ["without data", { data: undefined, game_short_name: "chess" }],
    ["below an inline message", { message: undefined, inline_message_id: "x" }],
  ])("%s is skipped", (_, more) => {
    expect(press(more)).toBeUndefined();
  });
});

describe("presses in Telegram", () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = new Bench();
    await bench.emulator.start();
  });

  afterEach(() => bench.close());

  async function asked() {
    const adapter = await bench.connected();
    const ann = bench.emulator.users.person("Ann");
    const { id } = bench.emulator.chats.privateWith(ann);
    const message = outbound({ chatId: String(id) }, "May I?", { question });
    const { messageIds } = await send(adapter, message, patience());
    return { adapter, ann, message, messageIds, seen: bench.emulator.said(id).at(-1)! };
  }

  it("are not confirmed before they are stored", async () => {
    const { ann, seen } = await asked();
    const { emulator, gateway } = bench;
    gateway.failing = true;
    const update = emulator.users.press(seen, "Yes", ann);
    await until("it was tried twice", () => gateway.attempts >= 2);
    expect(emulator.updates.pending).toEqual([update]);
    expect(emulator.world.presses.answered).toEqual([]);
    gateway.failing = false;
    await until("it is confirmed", () => emulator.updates.pending.length === 0);
    expect(gateway.received.map(({ choice }) => choice?.choiceId)).toEqual(["yes"]);
    await until("it is acknowledged", () => emulator.world.presses.answered.length === 1);
  });

  it("are received while their acknowledgement hangs or fails", async () => {
    const { ann, seen } = await asked();
    const { emulator, gateway } = bench;
    emulator.faults.hang("answerCallbackQuery");
    emulator.faults.fail("answerCallbackQuery", 400, "Bad Request: query is too old");
    for (let i = 0; i < 2; i++) emulator.users.press(seen, "Yes", ann);
    emulator.users.writeDm(ann, "hello");
    await until("all are received", () => gateway.received.length === 3);
    await until("all are confirmed", () => emulator.updates.pending.length === 0);
    expect(bench.log).toEqual([]);
  });

  it("of a deleted question are ignored", async () => {
    const { adapter, message, messageIds, seen } = await asked();
    seen.deleted = true;
    await adapter.settleQuestion(message.target, messageIds, "No.", patience());
  });

  it("work below a marked repeat and below files", async () => {
    const { adapter, message } = await asked();
    const chatId = Number(message.target.chatId);
    await send(adapter, { ...message, nonce: "again", mayBeRepeat: true }, patience());
    const last = bench.emulator.said(chatId).at(-1)!;
    expect(last.text).toMatch(/repeat[\s\S]*May I\?/);
    expect(last.keyboard?.flat()).toHaveLength(1);
    const file = { name: "a.txt", path: "gone.txt", mimeType: "text/plain", bytes: 1 };
    const parts = adapter.render({ ...message, files: [file] });
    expect(parts.map((part) => "keyboard" in part)).toEqual([false, true]);
  });
});
