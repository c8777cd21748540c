import { describe, expect, it } from "vitest";
import {
  AnswerLimit,
  limitedMessage,
  MAX_ANSWER_CHARS,
  MAX_MESSAGE_CHARS,
  MAX_QUOTE_CHARS,
  startOf,
  truncated,
} from "../src/text-limits.js";
import { inboundMessage } from "./support/inbound-message.js";

const LONG = "x".repeat(MAX_MESSAGE_CHARS + 1);

describe("text that is too long", () => {
  it("is truncated to the limit and mentions its length", () => {
    const cut = truncated("a".repeat(1000), 100, "message");
    expect(cut).toHaveLength(100);
    expect(cut).toMatch(/^a+… \[truncated: the message had 1000 characters\]$/);
    expect(truncated(cut, 100, "message")).toBe(cut);
    expect(truncated("short", 100, "message")).toBe("short");
  });

  it("never ends with half a character", () => {
    expect(startOf("a😀b", 2)).toBe("a");
    expect(startOf("a😀b", 3)).toBe("a😀");
  });

  it("is truncated on arrival: the message, its quote and names", () => {
    const origin = { platform: "test", chatType: "dm", chatId: "1", userName: LONG, chatTopic: LONG };
    const { text, quoted, ...limited } = limitedMessage(
      inboundMessage({ text: LONG, quoted: { text: LONG, messageId: "7" }, origin }),
    );
    expect(text).toMatch(new RegExp(`\\[truncated: the message had ${LONG.length} characters\\]$`));
    expect(text).toHaveLength(MAX_MESSAGE_CHARS);
    expect(quoted).toEqual({ text: truncated(LONG, MAX_QUOTE_CHARS, "quoted message"), messageId: "7" });
    expect(limited.origin.userName).toHaveLength(1000);
    expect(limited.origin.chatTopic).toHaveLength(1000);
  });

  it("is accepted from a program, whose request size is limited instead", () => {
    const request = { fingerprint: "", stream: false };
    expect(limitedMessage(inboundMessage({ text: LONG, request })).text).toBe(LONG);
  });
});

describe("an answer that is too long", () => {
  it("is passed on up to the limit and ends with a note", () => {
    const limit = new AnswerLimit();
    let answer = "";
    while (!limit.isOver) answer += limit.take("word ".repeat(1000));
    expect(answer).toMatch(/^(word )+.{0,5}… \[truncated: the answer was longer than 500000 characters\]$/);
    expect(answer).toHaveLength(MAX_ANSWER_CHARS);
  });
});
