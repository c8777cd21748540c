import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isChatId } from "../../src/adapters/chat-ids.js";
import { configSchema } from "../../src/config/schema.js";
import { formatTarget } from "../../src/message.js";
import { knownTargetsOf } from "../../src/rules.js";
import type { KnownChat } from "../../src/store/queues.js";
import { findTarget } from "../../src/targets/find-target.js";
import { type KnownTargets, parseTarget, resolveTarget } from "../../src/targets/target.js";

function chat(platform: string, chatId: string, more: Partial<KnownChat> = {}): KnownChat {
  const nobody = { account: "bot", chatType: "group", threadId: null, chatName: null, userName: null };
  return { platform, chatId, lastActivity: 1, ...nobody, ...more };
}

const CHATS = [
  chat("telegram", "-100", { chatName: "Family" }),
  chat("telegram", "-100", { chatName: "Family", threadId: "7", chatType: "thread" }),
  chat("telegram", "42", { chatType: "dm", userName: "Ada", account: "other-bot" }),
  chat("slack", "C0123456", { chatName: "#ops: nightly" }),
  chat("slack", "C0999999", { chatName: "#double" }),
  chat("slack", "C0888888", { chatName: "Double" }),
];

const TARGETS: KnownTargets = {
  platforms: ["telegram", "slack", "web"],
  homes: { slack: "C0123456:1700000000.000100" },
  chats: CHATS,
  isChatId,
};

const find = (text: string, targets: Partial<KnownTargets> = {}) =>
  resolveTarget(parseTarget(text), { ...TARGETS, ...targets });

describe("targets", () => {
  it.each([
    ["telegram:-100", { chatId: "-100", threadId: null, chatType: "group", account: "bot" }],
    ["telegram:-100:7", { chatId: "-100", threadId: "7", chatType: "thread" }],
    ["Telegram: family", { chatId: "-100", threadId: null }],
    ["telegram:Family:9", { chatId: "-100", threadId: "9" }],
    ["telegram:@ada", { chatId: "42", chatType: "dm", account: "other-bot" }],
    ["slack:#ops: nightly", { chatId: "C0123456", threadId: null }],
    ["slack:ops: nightly:1700000000.000200", { chatId: "C0123456", threadId: "1700000000.000200" }],
    ["telegram:-200:3", { chatId: "-200", threadId: "3", account: "", chatType: "channel" }],
    ["telegram:@news_channel", { chatId: "@news_channel" }],
    ["home", { platform: "slack", chatId: "C0123456", threadId: "1700000000.000100" }],
    ["slack", { platform: "slack", chatId: "C0123456" }],
    ["slack:home", { platform: "slack", chatId: "C0123456" }],
  ])("%s", (text, expected) => {
    expect(find(text)).toMatchObject({ replyTo: null, userId: null, ...expected });
  });

  it("resolve to nothing, or to the chat of the request", () => {
    const origin = { ...find("telegram:42")!, replyTo: "17", userId: "42" };
    expect(find("local")).toBeUndefined();
    expect(find("none")).toBeUndefined();
    expect(find("origin", { origin })).toEqual({ ...origin, replyTo: null });
    expect(() => find("origin")).toThrow("no chat of origin");
  });

  it.each([
    ["", "Invalid target"],
    ["telegram:", "has no chat"],
    ["-100", "Invalid target"],
    ["telegram:Familie", 'No chat named "Familie" on telegram'],
    ["signal:1", "The platform signal isn't enabled"],
    ["telegram:home", "telegram has no home channel"],
    ["slack:double", 'Several chats on slack are named "double"'],
  ])("explain what is wrong with %j", (text, message) => {
    expect(() => find(text)).toThrow(message);
  });

  it("list known chats in errors", () => {
    const failure = (text: string) => {
      try {
        find(text);
      } catch (error) {
        return (error as { hint?: string }).hint;
      }
    };
    expect(failure("telegram:Familie")).toBe('Known chats: telegram:-100 "Family", telegram:42 "Ada".');
    expect(failure("slack:double")).toBe('Use the id: slack:C0999999 "#double", slack:C0888888 "Double".');
    expect(failure("signal:1")).toBe("Enabled: telegram, slack, web.");
    expect(failure("web:me")).toContain("web:<id>");
  });

  it("are parsed as they are formatted", () => {
    const id = fc.stringMatching(/^-?\d{1,12}$/);
    fc.assert(
      fc.property(id, fc.option(fc.stringMatching(/^\d{1,9}$/)), (chatId, threadId) => {
        const target = { ...find("telegram:42")!, chatId, threadId };
        expect(find(formatTarget(target))).toMatchObject({ chatId, threadId });
      }),
    );
  });

  it("always resolve to a target or a clear error", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          find(text);
        } catch (error) {
          expect(error).toMatchObject({ name: "HermesError", hint: expect.any(String) });
        }
      }),
    );
  });

  it("use the enabled platforms and their homes from the configuration", () => {
    const slack = { token: "xoxb-1", home_channel: "C0123456" };
    const config = configSchema.parse({ platforms: { slack, discord: { home_channel: "1" } } });
    expect(knownTargetsOf(config)).toMatchObject({
      platforms: ["slack", "web"],
      homes: { slack: "C0123456" },
    });
  });

  it("query the store only for the named chats", async () => {
    const asked: unknown[] = [];
    const store = {
      knownChats: async (query: { platform?: string; called?: string }) => {
        asked.push(query);
        return CHATS.filter(
          ({ platform, chatId }) => platform === query.platform && (!query.called || chatId === query.called),
        );
      },
    };
    expect(await findTarget(store, "telegram:-100:7", TARGETS)).toMatchObject({ threadId: "7" });
    expect(await findTarget(store, "home", TARGETS)).toMatchObject({ chatId: "C0123456" });
    expect(await findTarget(store, "local", TARGETS)).toBeUndefined();
    expect(asked).toHaveLength(4);
    await expect(findTarget(store, "telegram:Nobody", TARGETS)).rejects.toThrow("Nobody");
  });
});
