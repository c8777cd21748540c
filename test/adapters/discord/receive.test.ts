import { describe, expect, it } from "vitest";
import { CHANNEL } from "../../emulators/discord/index.js";
import { until } from "../../support/until.js";
import { connected } from "./support.js";

describe("receiving", () => {
  it("knows existing channels from READY, and fetches unknown ones", async () => {
    const made: { id?: string } = {};
    const { emulator, inbox } = await connected({}, {}, (before) => {
      made.id = before.channel(before.guild("Server"), "old").id;
    });
    const ada = emulator.user("Ada");
    const old = emulator.core.world.channels.get(made.id!)!;
    emulator.say(ada, old, "old channel");
    const hidden = emulator.core.world.addChannel({
      type: CHANNEL.publicThread,
      guildId: old.guildId,
      parentId: old.id,
      name: "unannounced",
    });
    emulator.say(ada, hidden, "new thread");
    expect((await inbox.message("old channel")).origin.chatName).toBe("Server / #old");
    expect((await inbox.message("new thread")).origin).toMatchObject({
      chatType: "thread",
      parentChatId: old.id,
    });
  });

  it("treats a thread as one with the bot once the bot has written in it", async () => {
    const { emulator, inbox } = await connected();
    const ada = emulator.user("Ada");
    const thread = emulator.thread(emulator.channel(emulator.guild("S"), "c"), "t", ada);
    emulator.say(ada, thread, "before");
    emulator.core.say({ channelId: thread.id, authorId: emulator.botId, content: "an answer" });
    emulator.say(ada, thread, "after");
    expect((await inbox.message("before")).threadWithBot).toBe(false);
    expect((await inbox.message("after")).threadWithBot).toBe(true);
  });

  it("includes quoted messages, forwards and stickers", async () => {
    const { emulator, inbox } = await connected();
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    const first = emulator.core.say({ channelId: dm.id, authorId: emulator.botId, content: "my answer" });
    emulator.say(ada, dm, "why?", { replyTo: first.id });
    emulator.say(ada, dm, "", { forwarded: "the news" });
    emulator.say(ada, dm, "", { stickers: [{ id: "1", name: "Wave" }] });
    expect(await inbox.message("why?")).toMatchObject({
      repliedToBot: true,
      quoted: { text: "my answer", messageId: first.id },
    });
    await inbox.message("[Forwarded message]\nthe news");
    await inbox.message("[Sticker: Wave]");
  });

  it("keeps the order within a chat, also while the inbox fails", async () => {
    const { emulator, inbox } = await connected();
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    inbox.failures = 3;
    for (const text of ["one", "two", "three"]) emulator.say(ada, dm, text);
    await inbox.message("three");
    expect(inbox.texts).toEqual(["one", "two", "three"]);
    expect(inbox.cursors.get(`channel:${dm.id}`)).toBe(inbox.received.at(-1)!.eventId);
  });

  it("doesn't delay one chat because of another", async () => {
    const { emulator, inbox } = await connected();
    const [ada, eve] = [emulator.user("Ada"), emulator.user("Eve")];
    let open = () => {};
    inbox.gate = new Promise((resolve) => {
      open = resolve;
    });
    emulator.say(ada, emulator.dm(ada), "slow");
    emulator.say(eve, emulator.dm(eve), "also slow");
    await until("both wait", () => inbox.waiting === 2);
    open();
    await inbox.message("also slow");
  });

  it("receives messages that arrive out of order", async () => {
    const { emulator, inbox } = await connected();
    emulator.faults.reorderBy = 2;
    const ada = emulator.user("Ada");
    for (const text of ["a", "b"]) emulator.say(ada, emulator.dm(ada), text);
    await inbox.message("a");
    expect(inbox.texts).toEqual(["b", "a"]);
  });
});
