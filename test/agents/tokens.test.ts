import { estimateTokenCount } from "tokenx";
import { describe, expect, it } from "vitest";
import { estimateTextTokens, estimateTokens } from "../../src/agents/tokens.js";

describe("token estimates of a long text", () => {
  it.each([
    ["prose", "The quick brown fox jumps over the lazy dog, twice. "],
    ["code", 'const value = read(path.join(home, name + ".json"));\n'],
    ["Chinese", "今天天气很好，我们去公园散步。"],
    ["one letter", "a"],
  ])("are guessed from samples, near to what counting %s gives", (_, unit) => {
    const text = unit.repeat(Math.ceil(200_000 / unit.length));
    const counted = estimateTokenCount(text);
    expect(Math.abs(estimateTextTokens(text) - counted) / counted).toBeLessThan(0.1);
  });

  it("are stable for the same message", () => {
    const message = { role: "user", content: "Good morning" };
    expect(estimateTokens(message)).toBe(estimateTokens({ ...message }));
    expect(estimateTokens(message)).toBe(estimateTokens(message));
  });
});
