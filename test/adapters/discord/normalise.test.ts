import type { APIInteraction } from "discord.js";
import { describe, expect, it } from "vitest";
import type { ChannelInfo } from "../../../src/adapters/discord/channels.js";
import {
  type Context,
  channelOf,
  type NativeMessage,
  normaliseCommand,
  normaliseEdit,
  normaliseMessage,
  refOf,
} from "../../../src/adapters/discord/normalise.js";

const BOT = "100000000000000001";
const ROLE = "100000000000000002";
const ADA = {
  id: "200000000000000001",
  username: "ada",
  global_name: "Ada",
  discriminator: "0",
  avatar: null,
};

const channel = (fields: Partial<ChannelInfo> = {}): ChannelInfo => ({
  id: "300000000000000001",
  kind: "group",
  name: "general",
  topic: "Everything",
  parentId: null,
  guildId: "400000000000000001",
  withBot: false,
  ...fields,
});

const context = (fields: Partial<Context> = {}): Context => ({
  account: BOT,
  botId: BOT,
  botRoleId: ROLE,
  channelName: (id) => (id === "300000000000000009" ? "random" : null),
  channel: channel(),
  chatName: "Server / #general",
  replyInThread: false,
  ...fields,
});

const native = (fields: object = {}): NativeMessage =>
  ({
    id: "1234567890123456789",
    channel_id: "300000000000000001",
    author: ADA,
    content: "hello",
    timestamp: "2026-01-01T00:00:00Z",
    edited_timestamp: null,
    mentions: [],
    mention_roles: [],
    attachments: [],
    embeds: [],
    type: 0,
    ...fields,
  }) as unknown as NativeMessage;

describe("chat types", () => {
  const dm = channel({ id: "5", kind: "dm", name: null, guildId: null, topic: null });
  const thread = channel({ id: "7", kind: "thread", name: "a thread", parentId: "3", withBot: true });
  it.each([
    ["a direct message", dm, { chatType: "dm", chatId: "5", threadId: null, chatName: "Ada", guildId: null }],
    ["a channel", channel(), { chatType: "group", chatId: channel().id, threadId: null, parentChatId: null }],
    ["a thread or forum post", thread, { chatType: "thread", chatId: "7", threadId: "7", parentChatId: "3" }],
  ])("%s", (_name, where, origin) => {
    const message = normaliseMessage(native(), context({ channel: where }));
    expect(message?.origin).toMatchObject({
      platform: "discord",
      userId: ADA.id,
      userName: "Ada",
      ...origin,
    });
    expect(message).toMatchObject({
      account: BOT,
      eventId: "1234567890123456789",
      text: "hello",
      isBot: false,
    });
    expect(message?.threadWithBot).toBe(where.withBot);
  });

  it("gives a channel message its own thread if answers go to threads", () => {
    const message = normaliseMessage(native({ id: "88" }), context({ replyInThread: true }));
    expect(message?.origin).toMatchObject({ chatType: "thread", chatId: "88", threadId: "88" });
    expect(message?.origin).toMatchObject({ parentChatId: channel().id, messageId: `${channel().id}/88` });
    expect(refOf(context({ replyInThread: true }), "88")).toMatchObject({
      chatId: "88",
      messageId: `${channel().id}/88`,
    });
  });

  it("uses the sender's nickname in the server", () => {
    expect(normaliseMessage(native({ member: { nick: "Countess" } }), context())?.origin.userName).toBe(
      "Countess",
    );
  });
});

describe("mentions and replies", () => {
  it.each([
    ["a mention", { content: `<@${BOT}> hi` }, { mentioned: true, text: "hi" }],
    ["an old mention", { content: `hi <@!${BOT}> there` }, { mentioned: true, text: "hi there" }],
    ["the bot's role", { content: `<@&${ROLE}> hi` }, { mentioned: true, text: "hi" }],
    ["a command after a mention", { content: `<@${BOT}> /status` }, { mentioned: true, text: "/status" }],
    ["only a mention", { content: `<@${BOT}>` }, { mentioned: true, text: "" }],
    ["no mention", { content: "hi" }, { mentioned: false, text: "hi" }],
    ["everyone", { content: "@everyone hi" }, { mentioned: false }],
    [
      "a reply's ping",
      {
        type: 19,
        mentions: [{ id: BOT }],
        referenced_message: native({ author: { id: BOT }, content: "earlier" }),
      },
      { mentioned: false, repliedToBot: true, quoted: { text: "earlier", messageId: "1234567890123456789" } },
    ],
    [
      "a reply to another person",
      { type: 19, referenced_message: native({ content: "earlier" }) },
      { repliedToBot: false, quoted: { text: "earlier", messageId: "1234567890123456789" } },
    ],
  ])("%s", (_name, fields, expected) => {
    expect(normaliseMessage(native(fields), context())).toMatchObject(expected);
  });

  it("marks bots and webhooks, and ignores the bot itself", () => {
    expect(normaliseMessage(native({ author: { ...ADA, bot: true } }), context())?.isBot).toBe(true);
    expect(normaliseMessage(native({ webhook_id: "9" }), context())?.isBot).toBe(true);
    expect(normaliseMessage(native({ author: { ...ADA, id: BOT } }), context())).toBeUndefined();
  });

  it("quotes nothing in a reply to a deleted message", () => {
    expect(
      normaliseMessage(native({ type: 19, referenced_message: null }), context())?.quoted,
    ).toBeUndefined();
  });
});

describe("the text", () => {
  const eve = { ...ADA, id: "200000000000000002", username: "eve", global_name: "Eve" };
  it.each([
    [
      "names instead of ids",
      { content: `<@${eve.id}> see <#300000000000000009>`, mentions: [eve] },
      "@Eve see #random",
    ],
    ["unknown ids", { content: "<@999> <#998>" }, "<@999> <#998>"],
    ["custom emoji by name", { content: "<:party:123> <a:dance:456>" }, ":party: :dance:"],
    [
      "a sticker",
      { content: "", sticker_items: [{ id: "1", name: "Wave", format_type: 1 }] },
      "[Sticker: Wave]",
    ],
    [
      "a poll",
      {
        content: "",
        poll: {
          question: { text: "Tea?" },
          answers: [{ poll_media: { text: "Yes" } }, { poll_media: { text: "No" } }],
        },
      },
      "[Poll: Tea? — Yes / No]",
    ],
    [
      "a forward",
      {
        content: "",
        message_reference: { type: 1 },
        message_snapshots: [{ message: { content: "the news", attachments: [{ filename: "a.pdf" }] } }],
      },
      "[Forwarded message]\nthe news\n[File: a.pdf]",
    ],
    [
      "a bot's card",
      { content: "", author: { ...ADA, bot: true }, embeds: [{ title: "Build", description: "ok" }] },
      "[Card: Build — ok]",
    ],
    [
      "a person's link preview is no text",
      { content: "https://a.b", embeds: [{ title: "A" }] },
      "https://a.b",
    ],
    ["no NUL characters", { content: "a\0b" }, "ab"],
  ])("%s", (_name, fields, text) => {
    expect(normaliseMessage(native(fields), context())?.text).toBe(text);
  });

  it("lists files with their kinds", () => {
    const file = (name: string, type?: string) => ({
      id: "1",
      filename: name,
      size: 3,
      url: "x",
      content_type: type,
    });
    const attachments = [
      file("a.png", "image/png"),
      file("b.bin"),
      file("c.txt", "text/plain; charset=utf-8"),
    ];
    const message = normaliseMessage(native({ content: "look", attachments }), context());
    expect(message?.text).toBe("look");
    expect(message?.attachments).toEqual([
      { kind: "image", name: "a.png", bytes: 3, mimeType: "image/png" },
      { kind: "file", name: "b.bin", bytes: 3 },
      { kind: "file", name: "c.txt", bytes: 3, mimeType: "text/plain" },
    ]);
    const voice = native({ content: "", flags: 1 << 13, attachments: [file("v.ogg", "application/ogg")] });
    expect(normaliseMessage(voice, context())?.attachments[0]?.kind).toBe("audio");
  });

  it.each([1, 6, 7, 8, 18, 21, 46, 999])("ignores messages of type %i", (type) => {
    expect(normaliseMessage(native({ type }), context())).toBeUndefined();
  });

  it("ignores empty messages", () => {
    expect(normaliseMessage(native({ content: "" }), context())).toBeUndefined();
  });
});

describe("edits", () => {
  it("by the author count", () => {
    const edited = native({ content: `<@${BOT}> better`, edited_timestamp: "2026-01-01T00:00:01Z" });
    expect(normaliseEdit(edited, context())).toMatchObject({ messageId: edited.id, text: "better" });
  });

  it("by Discord (link previews) or the bot itself are ignored", () => {
    expect(normaliseEdit(native(), context())).toBeUndefined();
    const own = native({ author: { ...ADA, id: BOT }, edited_timestamp: "2026-01-01T00:00:01Z" });
    expect(normaliseEdit(own, context())).toBeUndefined();
  });
});

describe("slash commands", () => {
  const interaction = (fields: object) =>
    ({
      id: "1234567890123456790",
      type: 2,
      channel: { id: "7", type: 11, name: "a thread", parent_id: "3" },
      guild_id: "4",
      member: { user: ADA, nick: null },
      data: { name: "title", options: [{ name: "args", type: 3, value: "My title" }] },
      ...fields,
    }) as unknown as APIInteraction;

  it("are normalised like typed commands in the same channel", () => {
    const asked = interaction({});
    const message = normaliseCommand(asked, context({ channel: channelOf(asked)! }));
    expect(message).toMatchObject({ text: "/title My title", mentioned: true, eventId: asked.id });
    expect(message?.origin).toMatchObject({
      chatType: "thread",
      chatId: "7",
      threadId: "7",
      parentChatId: "3",
    });
  });

  it("include subcommands in the text", () => {
    const data = {
      name: "sessions",
      options: [{ name: "list", type: 1, options: [{ name: "n", type: 4, value: 5 }] }],
    };
    const asked = interaction({
      data,
      member: undefined,
      user: ADA,
      channel: { id: "5", type: 1 },
      guild_id: undefined,
    });
    const message = normaliseCommand(asked, context({ channel: channelOf(asked)! }));
    expect(message).toMatchObject({ text: "/sessions list 5", origin: { chatType: "dm", userId: ADA.id } });
  });

  it("don't include buttons and other interactions", () => {
    const asked = interaction({ type: 3 });
    expect(normaliseCommand(asked, context({ channel: channelOf(asked)! }))).toBeUndefined();
  });
});

describe("others", () => {
  it("are reported as mentioned if the bot isn't", () => {
    const named = (content: string) => normaliseMessage(native({ content }), context())?.mentionsOthers;
    expect(named(`<@${ADA.id}> hi`)).toBe(true);
    expect(named(`<@${ADA.id}> and <@${BOT}>`)).toBeUndefined();
    expect(named("no mention")).toBeUndefined();
  });

  it("include the author's roles", () => {
    const message = native({ member: { roles: ["1", "2"] } });
    expect(normaliseMessage(message, context())?.roles).toEqual(["1", "2"]);
    expect(normaliseMessage(native(), context())).not.toHaveProperty("roles");
  });
});
