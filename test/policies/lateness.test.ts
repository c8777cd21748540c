import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isTooOld, lateSeconds } from "../../src/policies/lateness.js";

const NOW = 1_000_000;
const DAY = 86_400;

const tooOld = (ago: number, { startedAgo = 10, maxAge = DAY, receivedAgo = 0 } = {}) =>
  isTooOld({
    sentAt: NOW - ago,
    receivedAt: NOW - receivedAgo,
    startedAt: NOW - startedAgo,
    maxAgeSeconds: maxAge,
  });

describe("a missed message", () => {
  it("is answered up to the maximum age", () => {
    expect(tooOld(DAY - 1)).toBe(false);
    expect(tooOld(DAY + 1)).toBe(true);
  });

  it("isn't answered if catching up is disabled", () => {
    expect(tooOld(11, { maxAge: 0 })).toBe(true);
    expect(tooOld(5, { maxAge: 0 })).toBe(false);
  });

  it("isn't missed if an earlier run accepted it", () => {
    expect(tooOld(100, { startedAgo: 5, receivedAgo: 99, maxAge: 0 })).toBe(false);
  });
});

describe("a live message", () => {
  it("is never too old because a clock is off by a minute", () => {
    expect(tooOld(90, { startedAgo: 1000, maxAge: 0 })).toBe(false);
    expect(tooOld(500, { startedAgo: 1000, maxAge: 60 })).toBe(true);
  });

  it("from the future is neither late nor too old", () => {
    expect(tooOld(-300)).toBe(false);
    expect(lateSeconds({ sentAt: NOW + 300, receivedAt: NOW })).toBeUndefined();
  });
});

it("a message is late after more than a minute", () => {
  expect(lateSeconds({ sentAt: NOW - 30, receivedAt: NOW })).toBeUndefined();
  expect(lateSeconds({ sentAt: NOW - 3600, receivedAt: NOW })).toBe(3600);
});

it("an older message is never treated as newer", () => {
  const seconds = fc.integer({ min: 0, max: 10 * DAY });
  fc.assert(
    fc.property(
      seconds,
      seconds,
      seconds,
      fc.integer({ min: 0, max: 2 * DAY }),
      (a, b, startedAgo, maxAge) => {
        const [younger, older] = a < b ? [a, b] : [b, a];
        if (tooOld(younger, { startedAgo, maxAge })) expect(tooOld(older, { startedAgo, maxAge })).toBe(true);
      },
    ),
  );
});
