import { describe, expect, it } from "vitest";
import { send } from "../../support/send.js";
import { until } from "../../support/until.js";
import { answer, connected, soon } from "./support.js";

const question = {
  id: "q1",
  choices: [
    { id: "yes", label: "Yes", style: "primary" as const },
    { id: "no", label: "No", style: "danger" as const },
  ],
};

type Setup = Parameters<typeof connected>;

async function asked(...options: Setup) {
  const all = await connected(...options);
  const { emulator, inbox, adapter } = all;
  const ada = emulator.user("Ada", { roles: ["5"] });
  const channel = emulator.channel(emulator.guild("S"), "c");
  emulator.say(ada, channel, `<@${emulator.botId}> delete it`);
  const message = await inbox.message("delete it");
  const { messageIds } = await send(adapter, answer(message, "May I?", { question }), soon());
  return { ...all, ada, channel, message, messageId: messageIds.at(-1)! };
}

const presses = ({ inbox }: Awaited<ReturnType<typeof asked>>) =>
  inbox.received.filter(({ choice }) => choice !== undefined);

describe("buttons in Discord", () => {
  it("are styled, and a press has the roles of its person", async () => {
    const scene = await asked();
    const { emulator, ada, channel, messageId } = scene;
    const shown = emulator.core.world.find(channel.id, messageId)!;
    expect(shown.buttons.flat().map(({ style }) => style)).toEqual([1, 4]);
    const press = emulator.press(ada, channel, messageId, "No");
    await until("it is received", () => presses(scene).length === 1);
    expect(presses(scene)[0]).toMatchObject({ eventId: press.id, text: "No", roles: ["5"], mentioned: true });
    expect(presses(scene)[0]!.origin.messageId).toBe(messageId);
    await until("it is acknowledged", () => press.acknowledgedAfterMs !== null);
    expect(shown.buttons.flat()).toHaveLength(2);
  });

  it("count even if the inbox was too slow for Discord", async () => {
    const scene = await asked({}, { answerWithinMs: 30 });
    const { emulator, inbox, ada, channel, messageId } = scene;
    let open = () => {};
    inbox.gate = new Promise((resolve) => {
      open = resolve;
    });
    const press = emulator.press(ada, channel, messageId, "Yes");
    await until("it waits", () => inbox.waiting === 1);
    await until("it is too late", () => Date.now() - press.askedAtMs > 40);
    open();
    inbox.gate = undefined;
    await until("it is received", () => presses(scene).length === 1);
    const calls = () => emulator.rest.calls.filter(({ path }) => path.startsWith("/interactions/"));
    await until("the acknowledgement was tried", () => calls().length === 1);
    expect(press.acknowledgedAfterMs).toBeNull();
    emulator.press(ada, channel, messageId, "Yes");
    await until("a second press is received", () => presses(scene).length === 2);
    expect(scene.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("of other programs are not received", async () => {
    const scene = await asked();
    const { emulator, ada, channel, messageId } = scene;
    emulator.core.world.find(channel.id, messageId)!.buttons[0]![0]!.custom_id = "menu";
    const press = emulator.press(ada, channel, messageId, "menu");
    emulator.press(ada, channel, messageId, "No");
    await until("ours is received", () => presses(scene).length === 1);
    expect(press.acknowledgedAfterMs).toBeNull();
  });

  it("are below the answer to a command, too", async () => {
    const { emulator, inbox, adapter } = await connected();
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    emulator.command(ada, dm, "new");
    const message = await inbox.message("/new");
    const { messageIds } = await send(
      adapter,
      answer(message, "Sure?", { kind: "command", question }),
      soon(),
    );
    expect(emulator.said(dm)).toMatchObject([{ id: messageIds[0], text: "Sure?", buttons: ["Yes", "No"] }]);
    const { target } = answer(message, "");
    await adapter.settleQuestion(target, messageIds, "Ada: no", soon());
    expect(emulator.said(dm)).toMatchObject([{ text: "Ada: no", buttons: [] }]);
  });

  it("in a question's own thread have the thread's session", async () => {
    const scene = await asked({ replyInThread: true });
    const { emulator, ada, message, messageId } = scene;
    const thread = emulator.core.world.channels.get(message.origin.chatId!)!;
    emulator.press(ada, thread, messageId, "Yes");
    await until("it is received", () => presses(scene).length === 1);
    const { chatType, chatId, threadId, parentChatId } = message.origin;
    expect(presses(scene)[0]!.origin).toMatchObject({ chatType, chatId, threadId, parentChatId });
  });
});
