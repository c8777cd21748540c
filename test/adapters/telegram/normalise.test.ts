import type { Message, Update } from "grammy/types";
import { describe, expect, it } from "vitest";
import { type Normalised, normalise } from "../../../src/adapters/telegram/normalise.js";
import type { InboundMessage } from "../../../src/message.js";

const SELF = { id: 4200, username: "hermes_bot" };
const ANN = { id: 7, first_name: "Ann", last_name: "Lee", is_bot: false };
const DM = { id: 7, type: "private", first_name: "Ann" };
const GROUP = { id: -100, type: "supergroup", title: "Team" };
const FORUM = { ...GROUP, is_forum: true };
const CHANNEL = { id: -200, type: "channel", title: "News" };

const base = { message_id: 12, date: 1000, from: ANN, chat: DM };

function of(fields: object, kind = "message"): Normalised | undefined {
  return normalise({ update_id: 1, [kind]: { ...base, ...fields } } as unknown as Update, SELF);
}

function messageOf(fields: object, kind?: string): InboundMessage {
  const known = of(fields, kind);
  if (known?.kind !== "message") throw new Error("no message");
  return known.message;
}

const textOf = (fields: object) => messageOf(fields).text;
const entity = (type: string, offset: number, length: number, more: object = {}) => ({
  type,
  offset,
  length,
  ...more,
});

describe("the origin of a message", () => {
  const cases: [string, object, object][] = [
    ["a private chat", {}, { chatType: "dm", chatId: "7", threadId: null, userId: "7", userName: "Ann Lee" }],
    ["a private chat without an author", { from: undefined }, { chatType: "dm", userId: "7" }],
    [
      "a private topic",
      { message_thread_id: 5, is_topic_message: true },
      { chatType: "dm", chatId: "7", threadId: "5" },
    ],
    ["a private reply, which has a thread too", { message_thread_id: 5 }, { threadId: null }],
    [
      "a group",
      { chat: { ...GROUP, type: "group" } },
      { chatType: "group", chatId: "-100", chatName: "Team" },
    ],
    ["a supergroup", { chat: GROUP }, { chatType: "group", threadId: null, userId: "7" }],
    ["a supergroup's reply thread", { chat: GROUP, message_thread_id: 5 }, { threadId: null }],
    ["a forum topic", { chat: FORUM, message_thread_id: 5, is_topic_message: true }, { threadId: "5" }],
    ["a forum's General", { chat: FORUM }, { threadId: "1" }],
    ["a group message without an author", { chat: GROUP, from: undefined }, { userId: null }],
    [
      "a channel's direct message",
      { chat: { ...GROUP, is_direct_messages: true }, direct_messages_topic: { topic_id: 9 } },
      { chatType: "group", threadId: "direct-9" },
    ],
  ];

  it.each(cases)("is set for %s", (_, fields, origin) => {
    expect(messageOf({ text: "hi", ...fields }).origin).toMatchObject(origin);
  });

  it("is the channel itself for a channel post", () => {
    const message = messageOf(
      { text: "hi", chat: CHANNEL, from: undefined, author_signature: "Editor" },
      "channel_post",
    );
    expect(message.origin).toMatchObject({
      chatType: "channel",
      chatId: "-200",
      userId: "-200",
      userName: "Editor",
    });
  });
});

describe("the author", () => {
  it("is marked as a bot, except for anonymous admins; automatic forwards count as bots", () => {
    const bot = { id: 1087968824, first_name: "Group", is_bot: true };
    expect(messageOf({ text: "x", chat: GROUP, from: bot }).isBot).toBe(true);
    expect(messageOf({ text: "x", chat: GROUP, from: bot, sender_chat: GROUP }).isBot).toBe(false);
    expect(
      messageOf({ text: "x", chat: GROUP, sender_chat: CHANNEL, is_automatic_forward: true }).isBot,
    ).toBe(true);
    expect(messageOf({ text: "x" }).isBot).toBe(false);
  });

  it("is the chat that a person writes as, not the shared bot in `from`", () => {
    const from = { id: 136817688, first_name: "Channel", is_bot: true };
    const asChannel = (id: number) =>
      messageOf({ text: "x", chat: GROUP, from, sender_chat: { id, type: "channel", title: `C${id}` } });
    expect([-1, -2].map((id) => asChannel(id).origin)).toMatchObject([
      { userId: "-1", userName: "C-1" },
      { userId: "-2", userName: "C-2" },
    ]);
    const admin = { id: 1087968824, first_name: "Group", is_bot: true };
    const anonymous = messageOf({ text: "x", chat: GROUP, from: admin, sender_chat: GROUP });
    expect(anonymous.origin.userId).toBe(String(GROUP.id));
  });
});

describe("mentions", () => {
  it("of other bots are reported if we aren't mentioned", () => {
    const other = { text: "@other_bot hi", entities: [entity("mention", 0, 10)] };
    expect(messageOf(other)).toMatchObject({ mentioned: false, mentionsOthers: true });
    const both = [entity("mention", 0, 10), entity("mention", 11, 11)];
    expect(messageOf({ text: "@other_bot @hermes_bot", entities: both })).not.toHaveProperty(
      "mentionsOthers",
    );
    const person = { text: "@another hi", entities: [entity("mention", 0, 8)] };
    expect(messageOf(person)).not.toHaveProperty("mentionsOthers");
  });

  it("of us are removed from anywhere in the text", () => {
    const text = "@hermes_bot what is 🙂 new, @Hermes_Bot?";
    const entities = [entity("mention", 0, 11), entity("mention", 28, 11)];
    const message = messageOf({ text, entities, chat: GROUP });
    expect(message).toMatchObject({ text: "what is 🙂 new, ?", mentioned: true });
  });

  it("of us by id count too", () => {
    const entities = [entity("text_mention", 4, 6, { user: { id: 4200 } })];
    expect(messageOf({ text: "hey Hermes look", entities })).toMatchObject({
      text: "hey look",
      mentioned: true,
    });
  });

  it("of others stay in the text", () => {
    const message = messageOf({ text: "@another hi", entities: [entity("mention", 0, 8)] });
    expect(message).toMatchObject({ text: "@another hi", mentioned: false });
  });

  it("of us stay if the text is nothing else", () => {
    expect(textOf({ text: "@hermes_bot", entities: [entity("mention", 0, 11)] })).toBe("@hermes_bot");
  });

  it("in a caption count too", () => {
    const caption_entities = [entity("mention", 0, 11)];
    const photo = [{ file_id: "f", file_unique_id: "u", width: 1, height: 1 }];
    expect(messageOf({ caption: "@hermes_bot look", caption_entities, photo })).toMatchObject({
      text: "look",
      mentioned: true,
    });
  });

  it("in a command tell whether it is for us or another bot", () => {
    const entities = [entity("bot_command", 0, 15)];
    expect(messageOf({ text: "/new@hermes_bot x", entities })).toMatchObject({
      text: "/new x",
      mentioned: true,
    });
    expect(of({ text: "/new@other__bot x", entities })).toBeUndefined();
  });
});

describe("replies", () => {
  const replied = (fields: object) => ({ ...base, message_id: 3, ...fields });

  it("quote the original message", () => {
    const message = messageOf({ text: "why?", reply_to_message: replied({ text: "because" }) });
    expect(message).toMatchObject({ quoted: { text: "because", messageId: "3" }, repliedToBot: false });
  });

  it("quote only the part that the user selected", () => {
    const fields = { text: "why?", quote: { text: "cause" }, reply_to_message: replied({ text: "because" }) };
    expect(messageOf(fields).quoted?.text).toBe("cause");
  });

  it("to the bot are recognised", () => {
    const from = { id: 4200, first_name: "Hermes", is_bot: true };
    expect(messageOf({ text: "why?", reply_to_message: replied({ from, caption: "a plot" }) })).toMatchObject(
      {
        quoted: { text: "a plot" },
        repliedToBot: true,
      },
    );
  });

  it("across chats quote the selected part", () => {
    const message = messageOf({ text: "why?", external_reply: {}, quote: { text: "there" } });
    expect(message.quoted).toEqual({ text: "there", messageId: null });
  });

  it("to a file quote its name", () => {
    const document = { file_id: "f", file_unique_id: "u", file_name: "a.pdf" };
    expect(messageOf({ text: "this", reply_to_message: replied({ document }) }).quoted?.text).toBe("[a.pdf]");
  });

  it("aren't assumed when the topic's first message is in `reply_to_message`", () => {
    const reply_to_message = replied({ from: { ...ANN, id: 4200 }, forum_topic_created: { name: "Plans" } });
    const message = messageOf({ text: "hi", chat: FORUM, message_thread_id: 3, reply_to_message });
    expect(message).toMatchObject({ repliedToBot: false, origin: { threadId: "3", chatTopic: "Plans" } });
    expect(message.quoted).toBeUndefined();
  });
});

describe("forwards", () => {
  const cases: [object, string][] = [
    [{ type: "user", sender_user: ANN }, "Ann Lee"],
    [{ type: "hidden_user", sender_user_name: "Hidden Ann" }, "Hidden Ann"],
    [{ type: "chat", sender_chat: GROUP }, "Team"],
    [{ type: "channel", chat: CHANNEL }, "News"],
    [{ type: "of tomorrow" }, "someone"],
  ];

  it.each(cases)("name their author, and their commands aren't executed: %o", (forward_origin, name) => {
    expect(textOf({ text: "/new", forward_origin })).toBe(`[Forwarded from ${name}]\n/new`);
  });

  it("name their author also without a text", () => {
    const photo = [{ file_id: "f", file_unique_id: "u", width: 1, height: 1 }];
    const forward_origin = { type: "user", sender_user: ANN };
    expect(textOf({ photo, forward_origin })).toBe("[Forwarded from Ann Lee]");
  });
});

describe("other kinds of messages", () => {
  const cases: [string, object, string][] = [
    ["a sticker", { sticker: { emoji: "😀" } }, "[Sticker 😀]"],
    ["a location", { location: { latitude: 52.1, longitude: 4.3 } }, "[Location: 52.1, 4.3]"],
    [
      "a place, which is a location too",
      { venue: { title: "Zoo", address: "Park 1" }, location: { latitude: 1, longitude: 2 } },
      "[Place: Zoo, Park 1]",
    ],
    ["a contact", { contact: { first_name: "Bo", phone_number: "+1" } }, "[Contact: Bo +1]"],
    [
      "a poll",
      { poll: { question: "When?", options: [{ text: "now" }, { text: "never" }] } },
      "[Poll: When? (now) (never)]",
    ],
    ["a die", { dice: { emoji: "🎲", value: 4 } }, "[Dice 🎲 4]"],
    ["a story", { story: {} }, "[Story]"],
    [
      "a rich message",
      {
        rich_message: {
          blocks: [
            { type: "paragraph", text: ["a ", { type: "bold", text: "b" }] },
            { type: "x", text: "c" },
          ],
        },
      },
      "a b\nc",
    ],
  ];

  it.each(cases)("%s is described", (_, fields, text) => {
    expect(textOf(fields)).toBe(text);
  });

  const files: [string, object, object][] = [
    [
      "a photo, its largest size",
      { photo: [{ file_id: "s" }, { file_id: "l", file_size: 9 }] },
      { kind: "image", bytes: 9 },
    ],
    [
      "a voice message",
      { voice: { file_id: "v", mime_type: "audio/ogg" } },
      { kind: "audio", mimeType: "audio/ogg" },
    ],
    ["a video", { video: { file_id: "v" } }, { kind: "video" }],
    ["a round video", { video_note: { file_id: "v" } }, { kind: "video" }],
    ["an animation, once", { animation: { file_id: "a" }, document: { file_id: "a" } }, { kind: "video" }],
    [
      "a document",
      { document: { file_id: "d", file_name: "../../x\u0007.pdf" } },
      { kind: "file", name: "x.pdf" },
    ],
  ];

  it.each(files)("%s is an attachment without a text", (_, fields, attachment) => {
    const message = messageOf(fields);
    expect(message.text).toBe("");
    expect(message.attachments).toHaveLength(1);
    expect(message.attachments[0]).toMatchObject(attachment);
  });

  const nothings: [string, object][] = [
    ["a person joined", { new_chat_members: [ANN] }],
    ["a pinned message", { pinned_message: {} }],
    ["a kind of tomorrow", { hologram: {} }],
    ["an empty text", { text: "" }],
  ];

  it.each(nothings)("%s is ignored", (_, fields) => {
    expect(of(fields)).toBeUndefined();
  });

  it.each(["callback_query", "my_chat_member", "business_message", "guest_message", "hologram"])(
    "an update of the kind %s is ignored",
    (kind) => {
      expect(of({ text: "hi" }, kind)).toBeUndefined();
    },
  );
});

describe("edits", () => {
  it("contain the whole new text and the message's id", () => {
    for (const kind of ["edited_message", "edited_channel_post"]) {
      expect(of({ text: "new", edit_date: 2000 }, kind)).toEqual({
        kind: "edit",
        edit: { platform: "telegram", account: "4200", chatId: "7", messageId: "12", text: "new" },
      });
    }
  });

  it("without a text are ignored", () => {
    expect(of({ voice: { file_id: "v" } }, "edited_message")).toBeUndefined();
  });
});

it("gives a message the same event id every time", () => {
  const ids = [of({ text: "a" }), of({ text: "a" })].map(
    (known) => (known as { message: InboundMessage }).message.eventId,
  );
  expect(ids).toEqual(["7/12", "7/12"]);
  expect(
    (of({ text: "a", message_id: 13 } satisfies Partial<Message>) as { message: InboundMessage }).message
      .eventId,
  ).toBe("7/13");
});
