import { describe, expect, it } from "vitest";
import { type NormaliseContext, normalise, normaliseCommand } from "../../../src/adapters/slack/normalise.js";
import type { SlackEvent } from "../../../src/adapters/slack/payloads.js";
import { sessionKey } from "../../../src/sessions/key.js";

const TS = "1712345678.000100";
const ROOT = "1712345600.000100";
const NAMES: Record<string, string> = { U1: "Ada", U2: "Ben" };

const context: NormaliseContext = {
  account: "slack",
  identity: { teamId: "T1", userId: "U0BOT", botId: "B0BOT" },
  replyInThread: true,
  dmTopLevelThreadsAsSessions: true,
  slashCommand: "/hermes",
  commandNames: new Set(["status"]),
  nameOf: (id) => NAMES[id],
};
const off = { ...context, replyInThread: false, dmTopLevelThreadsAsSessions: false };

const event = (more: SlackEvent): SlackEvent => ({
  type: "message",
  channel: "C1",
  channel_type: "channel",
  user: "U1",
  text: "hi",
  ts: TS,
  ...more,
});
const dm = { channel: "D1", channel_type: "im" };

function message(more: SlackEvent, where = context) {
  const incoming = normalise(event(more), where);
  if (incoming?.kind !== "message") throw new Error(`Not a message: ${JSON.stringify(incoming)}`);
  return incoming.message;
}

describe("conversation of a Slack message", () => {
  it.each([
    ["direct message", dm, context, "dm", "D1", TS],
    ["direct message, threads off", dm, off, "dm", "D1", null],
    ["reply in a direct message", { ...dm, thread_ts: ROOT }, off, "dm", "D1", ROOT],
    ["direct message without its type", { channel: "D1", channel_type: undefined }, context, "dm", "D1", TS],
    ["group message", { channel: "G1", channel_type: "mpim" }, context, "group", "G1", TS],
    ["group message with a C id", { channel: "C9", channel_type: "mpim" }, off, "group", "C9", null],
    ["private channel", { channel: "G2", channel_type: "group" }, context, "group", "G2", TS],
    ["channel", {}, context, "group", "C1", TS],
    ["channel, reply_in_thread off", {}, off, "group", "C1", null],
    ["thread in a channel", { thread_ts: ROOT }, off, "group", "C1", ROOT],
    ["root that has a thread", { thread_ts: TS }, off, "group", "C1", null],
    [
      "mention without a channel type",
      { type: "app_mention", channel_type: undefined },
      context,
      "group",
      "C1",
      TS,
    ],
    ["broadcast reply", { subtype: "thread_broadcast", thread_ts: ROOT }, context, "group", "C1", ROOT],
  ] as const)("%s", (_, more, where, chatType, chatId, threadId) => {
    expect(message(more as SlackEvent, where).origin).toMatchObject({
      platform: "slack",
      chatType,
      chatId,
      threadId,
      userId: "U1",
      userName: "Ada",
      messageId: TS,
    });
  });

  it("gives the session keys of Hermes Agent", () => {
    const settings = { groupSessionsPerUser: true, threadSessionsPerUser: false };
    const keys = [message(dm), message(dm, off), message({}), message({}, off)].map((m) =>
      sessionKey(m.origin, settings),
    );
    expect(keys).toEqual([
      `agent:main:slack:dm:D1:${TS}`,
      "agent:main:slack:dm:D1",
      `agent:main:slack:group:C1:${TS}`,
      "agent:main:slack:group:C1:U1",
    ]);
  });

  it("has the same event id in message and app_mention events", () => {
    const ids = [{}, { type: "app_mention" }].map((more) => message(more).eventId);
    expect(ids).toEqual([`T1:C1:${TS}`, `T1:C1:${TS}`]);
  });
});

describe("text of a Slack message", () => {
  it.each([
    ["<@U0BOT> hello", "hello"],
    ["<@U0BOT|hermes>: hello", "hello"],
    ["hello <@U0BOT> there", "hello there"],
    ["ask <@U2> and <@U9|joe> in <#C2|random>", "ask @Ben and @joe in #random"],
    ["<!here> <!subteam^S1|@team>", "@here @team"],
    [
      "see <https://a.b/?x=1&amp;y=2> and <https://c.d|docs>",
      "see https://a.b/?x=1&y=2 and [docs](https://c.d)",
    ],
    ["<mailto:a@b.c|a@b.c>", "a@b.c"],
    ["1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt;", "1 < 2 && 3 > 2 &lt;"],
    ["nul\0less", "nulless"],
    ["!status", "/status"],
    ["!wow", "!wow"],
  ])("%s", (text, expected) => {
    expect(message({ text }).text).toBe(expected);
  });

  it("keeps long runs of spaces, except before a mention", () => {
    const row = " \t".repeat(200_000);
    expect(message({ text: `a${row}b${row}<@U0BOT> c` }).text).toBe(`a${row}b c`);
    expect(message({ text: `x${"<@U1|".repeat(50_000)}` }).mentioned).toBe(false);
  });

  it("detects mentions of and replies to the bot", () => {
    expect(message({ text: "hi <@U0BOT>" })).toMatchObject({ mentioned: true });
    expect(message({ text: "<@U0BOT>" })).toMatchObject({ mentioned: true, text: "" });
    expect(message({ text: "hi <@U2>" })).toMatchObject({ mentioned: false });
    expect(message({ thread_ts: ROOT, parent_user_id: "U0BOT" })).toMatchObject({
      repliedToBot: true,
      threadWithBot: true,
    });
  });

  it("includes forwarded messages", () => {
    const attachments = [
      { is_share: true, author_name: "Ben", text: "the &amp; original" },
      { from_url: "https://x", text: "unfurled" },
    ];
    expect(message({ text: "look", attachments }).text).toBe("look\n\n[forwarded from Ben]\nthe & original");
  });

  it("describes images and files without text", () => {
    expect(message({ text: "", attachments: [{ image_url: "https://g/x.gif", title: "a cat" }] }).text).toBe(
      "[image: a cat]",
    );
    expect(message({ text: "", files: [{ name: "v.mp4", mimetype: "video/mp4", size: 9 }] })).toMatchObject({
      text: "",
      attachments: [{ kind: "video", name: "v.mp4", mimeType: "video/mp4", bytes: 9 }],
    });
    expect(
      message({ text: "", files: [{ mimetype: "video/mp4", subtype: "slack_audio" }] }).attachments[0]!.kind,
    ).toBe("audio");
  });

  it("treats null fields as missing", () => {
    const file = { id: "F1", name: null, title: null, mimetype: null, size: null, mode: "hosted" };
    const nulls = { bot_id: null, thread_ts: null, team: null, attachments: null, files: [file] };
    expect(message(nulls as unknown as SlackEvent)).toMatchObject({
      isBot: false,
      attachments: [{ kind: "file" }],
      origin: { threadId: TS, guildId: "T1" },
    });
  });

  it("marks messages of other bots", () => {
    expect(message({ subtype: "bot_message", user: undefined!, bot_id: "B7", username: "CI" })).toMatchObject(
      {
        isBot: true,
        origin: { userId: "B7", userName: "CI" },
      },
    );
    expect(message({ user: "USLACKBOT" }).isBot).toBe(true);
  });
});

describe("ignored Slack events", () => {
  it.each([
    ["own message", { user: "U0BOT" }],
    ["own message by bot id", { user: "U5", bot_id: "B0BOT" }],
    ["join", { subtype: "channel_join" }],
    ["topic", { subtype: "channel_topic" }],
    ["huddle", { subtype: "huddle_thread" }],
    ["reply notice", { subtype: "message_replied" }],
    ["hidden", { hidden: true }],
    ["empty text", { text: "" }],
    ["no channel", { channel: undefined! }],
    ["no ts", { ts: undefined! }],
    ["malformed ts", { ts: "soon" }],
    ["other event type", { type: "reaction_added" }],
    ["unknown event type", { type: "hologram_shared" }],
    ["own edit", { subtype: "message_changed", message: event({ user: "U0BOT" }) }],
    ["link preview", { subtype: "message_changed", message: event({}), previous_message: event({}) }],
    [
      "own delete",
      { subtype: "message_deleted", deleted_ts: TS, previous_message: event({ user: "U0BOT" }) },
    ],
    ["edit without a message", { subtype: "message_changed" }],
  ] as [string, SlackEvent][])("%s", (_, more) => {
    expect(normalise(event(more), context)).toBeUndefined();
  });
});

describe("Slack edits and deletes", () => {
  const ref = { platform: "slack", account: "slack", chatId: "C1", messageId: TS };

  it("keep the message id", () => {
    const changed = {
      subtype: "message_changed",
      message: event({ text: "<@U0BOT> new" }),
      previous_message: event({}),
    };
    expect(normalise(event(changed), context)).toEqual({
      kind: "edit",
      edit: { ...ref, text: "new" },
      threadId: TS,
    });
    const deleted = {
      subtype: "message_deleted",
      deleted_ts: TS,
      previous_message: event({ thread_ts: ROOT }),
    };
    expect(normalise(event(deleted), context)).toEqual({ kind: "delete", ref, threadId: ROOT });
  });

  it("treat a tombstone as a delete", () => {
    const tombstone = {
      subtype: "message_changed",
      message: event({ subtype: "tombstone", user: "USLACKBOT" }),
    };
    expect(normalise(event(tombstone), context)).toMatchObject({ kind: "delete", ref });
  });
});

describe("Slack slash command", () => {
  const body = {
    command: "/hermes",
    text: "status",
    channel_id: "C1",
    user_id: "U1",
    trigger_id: "1.2.a",
    team_id: "T1",
  };

  it.each([
    ["/hermes", "status", "/status"],
    ["/hermes", "/reset now", "/reset now"],
    ["/hermes", "", "/help"],
    ["/reset", "", "/reset"],
    ["/title", "my chat", "/title my chat"],
  ])("%s %s → %s", (command, text, expected) => {
    const message = normaliseCommand({ ...body, command, text }, ROOT, 5, context);
    expect(message).toMatchObject({
      text: expected,
      eventId: "T1:command:1.2.a",
      mentioned: true,
      origin: { chatType: "group", threadId: ROOT },
    });
  });

  it("is ignored without a user", () => {
    expect(normaliseCommand({ ...body, user_id: "" }, null, 5, context)).toBeUndefined();
  });
});
