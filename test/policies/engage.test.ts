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

describe("in a room that wants a mention", () => {
  it("says nothing to what is meant for others", () => {
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

  it("a broken pattern matches nothing and leaves the others alone", () => {
    const mentionPatterns = ["(", "bot"];
    expect(decide({ text: "the bot" }, { mentionPatterns })).toBe("mention_pattern");
    expect(decide({ text: "( only" }, { mentionPatterns })).toBe("silent: not_mentioned");
  });

  it("a pattern that would backtrack forever is matched in linear time", () => {
    const mentionPatterns = ["(a+)+$", "(?<!\\w)hermes"];
    expect(decide({ text: `${"a".repeat(50_000)}!` }, { mentionPatterns })).toBe("silent: not_mentioned");
    expect(decide({ text: "(Hermes)" }, { mentionPatterns })).toBe("mention_pattern");
    expect(decide({ text: "antihermes" }, { mentionPatterns })).toBe("silent: not_mentioned");
  });

  it("when strict, neither a reply nor a thread counts, a mention and a pattern do", () => {
    const strict = { strictMention: true, mentionPatterns: ["bot"] };
    expect(decide({ repliedToBot: true, threadWithBot: true }, strict)).toBe("silent: not_mentioned");
    expect(decide({ mentioned: true }, strict)).toBe("mentioned");
    expect(decide({ text: "bot?" }, strict)).toBe("mention_pattern");
  });
});

describe("channels", () => {
  it("that are ignored stay silent even when mentioned", () => {
    expect(decide({ mentioned: true }, { ignoredChannels: ["t1"] })).toBe("silent: ignored_channel");
  });

  it("that are not allowed stay silent even when mentioned; a thread counts by its parent", () => {
    expect(decide({ mentioned: true }, { allowedChannels: ["c2"] })).toBe("silent: channel_not_allowed");
    expect(decide({ mentioned: true }, { allowedChannels: ["c1"] })).toBe("mentioned");
  });

  it("do not matter in a DM", () => {
    expect(decide({ chatType: "dm" }, { ignoredChannels: ["*"], allowedChannels: ["c2"] })).toBe("dm");
  });
});

describe("threads and topics", () => {
  it("with the bot want a mention where that is set; a reply still counts", () => {
    const settings = { threadRequireMention: true };
    expect(decide({ threadWithBot: true }, settings)).toBe("silent: not_mentioned");
    expect(decide({ threadWithBot: true, repliedToBot: true }, settings)).toBe("reply_to_bot");
    expect(decide({ threadWithBot: true, mentioned: true }, settings)).toBe("mentioned");
  });

  it("that are not allowed stay silent; what stands in no thread isn't meant", () => {
    const settings = { allowedThreads: ["t2"], requireMention: false };
    expect(decide({ mentioned: true }, settings)).toBe("silent: thread_not_allowed");
    expect(decide({ threadId: "t2" }, settings)).toBe("mention_not_required");
    expect(decide({ threadId: null }, settings)).toBe("mention_not_required");
  });
});

describe("a guest", () => {
  it("is answered when it mentions the bot in a channel that isn't allowed, where that is set", () => {
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

describe("what names others", () => {
  it("is left to them, unless it is said to the bot as well", () => {
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
  it("are not answered, not even in a DM or when they mention us", () => {
    expect(decide({ isBot: true, chatType: "dm" })).toBe("silent: bot");
    expect(decide({ isBot: true, mentioned: true })).toBe("silent: bot");
  });

  it("are answered as far as the setting goes", () => {
    expect(decide({ isBot: true, mentioned: true }, { allowBots: "mentions" })).toBe("mentioned");
    expect(decide({ isBot: true, repliedToBot: true }, { allowBots: "mentions" })).toBe("silent: bot");
    expect(decide({ isBot: true, repliedToBot: true }, { allowBots: "all" })).toBe("reply_to_bot");
  });
});
