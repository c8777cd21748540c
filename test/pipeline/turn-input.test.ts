import { describe, expect, it } from "vitest";
import type { InboundMessage } from "../../src/message.js";
import { toUserMessage } from "../../src/pipeline/turn-input.js";

const arrived = (fields: Partial<InboundMessage>) => ({
  receivedAt: 1000,
  message: {
    platform: "discord",
    account: "1",
    eventId: "2",
    origin: { platform: "discord", chatType: "group", chatId: "3", userId: "4", userName: "Ada" },
    text: "",
    attachments: [],
    sentAt: 1000,
    mentioned: true,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: false,
    ...fields,
  },
});

describe("a message with only the bot's name", () => {
  it("becomes non-empty text for the model", () => {
    expect(toUserMessage(arrived({}), false).content).toBe("[A message without text]");
    expect(toUserMessage(arrived({}), true).content).toBe("[Ada] [A message without text]");
  });

  it("needs no extra text if it has attachments", () => {
    const quoted = { text: "the plan", messageId: null };
    expect(toUserMessage(arrived({ quoted }), false).content).toBe("> the plan");
    expect(toUserMessage(arrived({ attachments: [{ kind: "image" }] }), false).content).toBe("[image]");
  });
});
