import { describe, expect, it } from "vitest";
import { CHANNEL } from "../../emulators/discord/index.js";
import { until } from "../../support/until.js";
import { connected } from "./support.js";

describe("what comes in", () => {
  it("comes from every kind of chat", async () => {
    const { emulator, inbox } = await connected();
    const ada = emulator.user("Ada");
    const guild = emulator.guild("Server");
    const general = emulator.channel(guild, "general");
    const forum = emulator.channel(guild, "help", CHANNEL.forum);
    const thread = emulator.thread(general, "a thread", ada);
    const post = emulator.thread(forum, "a post", ada);
    emulator.say(ada, emulator.dm(ada), "in dm");
    emulator.say(ada, general, `<@${emulator.botId}> in channel`);
    emulator.say(ada, thread, "in thread");
    emulator.say(ada, post, "in post");
    expect((await inbox.message("in dm")).origin).toMatchObject({ chatType: "dm" });
    expect(await inbox.message("in channel")).toMatchObject({
      mentioned: true,
      origin: { chatType: "group", chatId: general.id, chatName: "Server / #general", guildId: guild.id },
    });
    expect((await inbox.message("in thread")).origin).toMatchObject({
      chatType: "thread",
      chatId: thread.id,
      threadId: thread.id,
      parentChatId: general.id,
    });
    expect((await inbox.message("in post")).origin).toMatchObject({
      chatType: "thread",
      chatId: post.id,
      threadId: post.id,
      parentChatId: forum.id,
    });
  });

  it("knows a channel that was there before it, and asks for one that it has never heard of", async () => {
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

  it("counts a thread as one with the bot once the bot has written in it", async () => {
    const { emulator, inbox } = await connected();
    const ada = emulator.user("Ada");
    const thread = emulator.thread(emulator.channel(emulator.guild("S"), "c"), "t", ada);
    emulator.say(ada, thread, "before");
    emulator.core.say({ channelId: thread.id, authorId: emulator.botId, content: "an answer" });
    emulator.say(ada, thread, "after");
    expect((await inbox.message("before")).threadWithBot).toBe(false);
    expect((await inbox.message("after")).threadWithBot).toBe(true);
  });

  it("brings replies with what they answer, forwards and stickers", async () => {
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

  it("tells edits and deletes", async () => {
    const { emulator, inbox } = await connected();
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    const message = emulator.say(ada, dm, "first");
    emulator.edit(message, "second");
    emulator.remove(message);
    await until("the delete", () => inbox.deletes.length > 0);
    const ref = { platform: "discord", account: emulator.botId, chatId: dm.id, messageId: message.id };
    expect(inbox.edits).toEqual([{ ...ref, text: "second" }]);
    expect(inbox.deletes).toEqual([ref]);
  });

  it("is not disturbed by events that nobody knows", async () => {
    const { emulator, inbox } = await connected();
    emulator.gateway.dispatch("SOMETHING_NEW", { what: "ever" });
    emulator.gateway.dispatch("MESSAGE_CREATE", { id: "1", channel_id: "2", author: { id: "3" }, type: 77 });
    const ada = emulator.user("Ada");
    emulator.say(ada, emulator.dm(ada), "still here");
    await inbox.message("still here");
  });

  it("comes in order within a chat, also when the inbox fails for a while", async () => {
    const { emulator, inbox } = await connected();
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    inbox.failures = 3;
    for (const text of ["one", "two", "three"]) emulator.say(ada, dm, text);
    await inbox.message("three");
    expect(inbox.texts).toEqual(["one", "two", "three"]);
    expect(inbox.cursors.get(`channel:${dm.id}`)).toBe(inbox.received.at(-1)!.eventId);
  });

  it("does not let one chat wait for another", async () => {
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

  it("gives a message that is delivered twice the same event id", async () => {
    const { emulator, inbox } = await connected();
    emulator.faults.duplicateEvents = true;
    const ada = emulator.user("Ada");
    emulator.say(ada, emulator.dm(ada), "twice");
    await until("the copy", () => inbox.copies.length > 0);
    expect(inbox.copies[0]!.eventId).toBe(inbox.received[0]!.eventId);
  });

  it("takes messages that overtake one another", async () => {
    const { emulator, inbox } = await connected();
    emulator.faults.reorderBy = 2;
    const ada = emulator.user("Ada");
    for (const text of ["a", "b"]) emulator.say(ada, emulator.dm(ada), text);
    await inbox.message("a");
    expect(inbox.texts).toEqual(["b", "a"]);
  });
});
