import { describe, expect, it } from "vitest";
import { type EngageQuestion, type EngageSettings, engageDecision } from "../../src/policies/engage.js";

function decide(message: Partial<EngageQuestion>, settings: Partial<EngageSettings> = {}): string {
  const decision = engageDecision(
    {
      chatType: "group",
      mentioned: false,
      repliedToBot: false,
      threadWithBot: false,
      mentionsOthers: false,
      channelIds: ["t1", "c1"],
      threadId: "t1",
      isBot: false,
      text: "hello",
      ...message,
    },
    {
      requireMention: true,
      strictMention: false,
      threadRequireMention: false,
      exclusiveMentions: true,
      freeResponseChannels: [],
      allowedChannels: [],
      allowedThreads: [],
      guestMode: false,
      ignoredChannels: [],
      mentionPatterns: [],
      allowBots: "none",
      ...settings,
    },
  );
  return decision.answer ? decision.because : `silent: ${decision.reason}`;
}

describe("in a room that requires a mention", () => {
  it("ignores messages for others", () => {
    expect(decide({})).toBe("silent: not_mentioned");
  });

  it.each<[string, Partial<EngageQuestion>, Partial<EngageSettings>]>([
    ["mentioned", { mentioned: true }, {}],
    ["reply_to_bot", { repliedToBot: true }, {}],
    ["thread_with_bot", { threadWithBot: true }, {}],
    ["free_response", {}, { freeResponseChannels: ["c1"] }],
    ["free_response", {}, { freeResponseChannels: ["*"] }],
    ["mention_not_required", {}, { requireMention: false }],
    ["mention_pattern", { text: "hey HERMES!" }, { mentionPatterns: ["\\bhermes\\b"] }],
  ])("%s", (because, message, settings) => {
    expect(decide(message, settings)).toBe(because);
  });

  it("ignores an invalid pattern and still uses the others", () => {
    const mentionPatterns = ["(", "bot"];
    expect(decide({ text: "the bot" }, { mentionPatterns })).toBe("mention_pattern");
    expect(decide({ text: "( only" }, { mentionPatterns })).toBe("silent: not_mentioned");
  });

  it("matches a pattern with catastrophic backtracking in linear time", () => {
    const mentionPatterns = ["(a+)+$", "(?<!\\w)hermes"];
    expect(decide({ text: `${"a".repeat(50_000)}!` }, { mentionPatterns })).toBe("silent: not_mentioned");
    expect(decide({ text: "(Hermes)" }, { mentionPatterns })).toBe("mention_pattern");
    expect(decide({ text: "antihermes" }, { mentionPatterns })).toBe("silent: not_mentioned");
  });

  it("when strict, accepts mentions and patterns, but not replies or threads", () => {
    const strict = { strictMention: true, mentionPatterns: ["bot"] };
    expect(decide({ repliedToBot: true, threadWithBot: true }, strict)).toBe("silent: not_mentioned");
    expect(decide({ mentioned: true }, strict)).toBe("mentioned");
    expect(decide({ text: "bot?" }, strict)).toBe("mention_pattern");
  });
});

describe("channels", () => {
  it("that are ignored get no answer, even to a mention", () => {
    expect(decide({ mentioned: true }, { ignoredChannels: ["t1"] })).toBe("silent: ignored_channel");
  });

  it("that aren't allowed get no answer, even to a mention; a thread is allowed by its parent", () => {
    expect(decide({ mentioned: true }, { allowedChannels: ["c2"] })).toBe("silent: channel_not_allowed");
    expect(decide({ mentioned: true }, { allowedChannels: ["c1"] })).toBe("mentioned");
  });

  it("don't matter in a DM", () => {
    expect(decide({ chatType: "dm" }, { ignoredChannels: ["*"], allowedChannels: ["c2"] })).toBe("dm");
  });
});

describe("threads and topics", () => {
  it("with the bot require a mention if configured; a reply still counts", () => {
    const settings = { threadRequireMention: true };
    expect(decide({ threadWithBot: true }, settings)).toBe("silent: not_mentioned");
    expect(decide({ threadWithBot: true, repliedToBot: true }, settings)).toBe("reply_to_bot");
    expect(decide({ threadWithBot: true, mentioned: true }, settings)).toBe("mentioned");
  });

  it("that aren't allowed get no answer; messages outside threads are unaffected", () => {
    const settings = { allowedThreads: ["t2"], requireMention: false };
    expect(decide({ mentioned: true }, settings)).toBe("silent: thread_not_allowed");
    expect(decide({ threadId: "t2" }, settings)).toBe("mention_not_required");
    expect(decide({ threadId: null }, settings)).toBe("mention_not_required");
  });
});

describe("guest mode", () => {
  it("answers a mention in a channel that isn't allowed", () => {
    const settings = { allowedChannels: ["c2"], requireMention: false, guestMode: true };
    expect(decide({ mentioned: true }, settings)).toBe("mentioned");
    expect(decide({}, settings)).toBe("silent: channel_not_allowed");
    expect(decide({ mentioned: true }, { ...settings, guestMode: false })).toBe(
      "silent: channel_not_allowed",
    );
    expect(decide({ mentioned: true }, { ...settings, ignoredChannels: ["c1"] })).toBe(
      "silent: ignored_channel",
    );
  });
});

describe("a message that mentions others", () => {
  it("is ignored unless it also addresses the bot", () => {
    const open = { requireMention: false };
    expect(decide({ mentionsOthers: true }, open)).toBe("silent: for_others");
    expect(decide({ mentionsOthers: true, threadWithBot: true })).toBe("silent: for_others");
    expect(decide({ mentionsOthers: true, repliedToBot: true })).toBe("reply_to_bot");
    expect(decide({ mentionsOthers: true, chatType: "dm" })).toBe("dm");
    expect(decide({ mentionsOthers: true }, { ...open, exclusiveMentions: false })).toBe(
      "mention_not_required",
    );
  });
});

describe("other bots", () => {
  it("aren't answered by default, even in a DM or with a mention", () => {
    expect(decide({ isBot: true, chatType: "dm" })).toBe("silent: bot");
    expect(decide({ isBot: true, mentioned: true })).toBe("silent: bot");
  });

  it("are answered according to the setting", () => {
    expect(decide({ isBot: true, mentioned: true }, { allowBots: "mentions" })).toBe("mentioned");
    expect(decide({ isBot: true, repliedToBot: true }, { allowBots: "mentions" })).toBe("silent: bot");
    expect(decide({ isBot: true, repliedToBot: true }, { allowBots: "all" })).toBe("reply_to_bot");
  });
});
