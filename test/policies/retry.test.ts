import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attemptsExhausted, nextAttempt } from "../../src/policies/retry.js";

const almostOne = () => 1 - Number.EPSILON;

describe("the next attempt", () => {
  it.each([
    [1, 1000],
    [2, 2000],
    [3, 4000],
    [9, 256_000],
    [10, 300_000],
    [5000, 300_000],
  ])("after %i failures is within %i ms", (attempts, ceilingMs) => {
    expect(nextAttempt({ attempts, random: almostOne })).toBe(ceilingMs);
    expect(nextAttempt({ attempts, random: () => 0.5 })).toBe(ceilingMs / 2);
  });

  it("may be immediate: full jitter", () => {
    fc.assert(
      fc.property(fc.nat(100), (attempts) => {
        expect(nextAttempt({ attempts, random: () => 0 })).toBe(0);
      }),
    );
  });
});

it("three attempts are the default maximum", () => {
  expect([2, 3].map((attempts) => attemptsExhausted(attempts))).toEqual([false, true]);
  expect([4, 5].map((attempts) => attemptsExhausted(attempts, 5))).toEqual([false, true]);
});
