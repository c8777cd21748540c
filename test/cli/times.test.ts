import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localDate, localMinute, parseTime, relativeTime } from "../../src/cli/times.js";

const NOW = new Date(2026, 5, 16, 12, 0, 0).getTime() / 1000;
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

describe("relativeTime", () => {
  it.each([
    [0, "just now"],
    [59, "just now"],
    [MINUTE, "1m ago"],
    [HOUR - 1, "59m ago"],
    [HOUR, "1h ago"],
    [DAY - 1, "23h ago"],
    [DAY, "yesterday"],
    [2 * DAY - 1, "yesterday"],
    [2 * DAY, "2d ago"],
    [7 * DAY - 1, "6d ago"],
    [7 * DAY, "2026-06-09"],
    [-30, "just now"],
  ])("%i seconds ago is %j", (age, text) => {
    expect(relativeTime(NOW - age, NOW)).toBe(text);
  });

  it("shows ? if there is no time", () => {
    expect(relativeTime(null, NOW)).toBe("?");
    expect(relativeTime(undefined, NOW)).toBe("?");
    expect(relativeTime(0, NOW)).toBe("?");
  });

  it("fits its column of 13", () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 4e9, noNaN: true }), (time) => {
        expect(relativeTime(time, NOW).length).toBeLessThanOrEqual(13);
      }),
    );
  });
});

describe("parseTime", () => {
  it("takes ages", () => {
    expect(parseTime("7d", NOW)).toBe(NOW - 7 * DAY);
    expect(parseTime("12h", NOW)).toBe(NOW - 12 * HOUR);
    expect(parseTime("90m", NOW)).toBe(NOW - 90 * MINUTE);
    expect(parseTime("2w", NOW)).toBe(NOW - 14 * DAY);
  });

  it("takes a day from its beginning, or to its end", () => {
    const begin = new Date(2026, 5, 10).getTime() / 1000;
    expect(parseTime("2026-06-10", NOW)).toBe(begin);
    expect(parseTime("2026-06-10", NOW, "end")).toBeCloseTo(new Date(2026, 5, 11).getTime() / 1000, 2);
    expect(parseTime("2026-06-10", NOW, "end")).toBeLessThan(new Date(2026, 5, 11).getTime() / 1000);
  });

  it("takes a moment", () => {
    expect(parseTime("2026-06-10T09:15", NOW)).toBe(new Date(2026, 5, 10, 9, 15).getTime() / 1000);
  });

  it.each(["", "blah", "7x", "d", "2026-02-31", "2026-13-01", "-7d"])("refuses %j", (text) => {
    expect(() => parseTime(text, NOW)).toThrow(/Use a date/);
  });

  it("reads what localDate and localMinute print", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1e6, max: 4e9 }), (time) => {
        expect(localDate(parseTime(localDate(time), NOW))).toBe(localDate(time));
        expect(localMinute(parseTime(localMinute(time).replace(" ", "T"), NOW))).toBe(localMinute(time));
      }),
    );
  });
});
