import { expect, it } from "vitest";
import { ago, duration, localTime } from "../../src/commands/parts/times.js";

it.each([
  ["Europe/Berlin", "2026-03-29 03:30 (Europe/Berlin)"],
  ["UTC", "2026-03-29 01:30 (UTC)"],
  ["Pacific/Kiritimati", "2026-03-29 15:30 (Pacific/Kiritimati)"],
])("a time is shown on the wall clock of %s", (zone, text) => {
  expect(localTime(Date.UTC(2026, 2, 29, 1, 30) / 1000, zone)).toBe(text);
});

it("midnight is 00:00", () => {
  expect(localTime(Date.UTC(2026, 0, 1) / 1000, "UTC")).toBe("2026-01-01 00:00 (UTC)");
});

it.each([
  [20, "less than a minute"],
  [720, "12 min"],
  [5 * 3600 + 100, "5 h"],
  [47 * 3600, "47 h"],
  [72 * 3600, "3 days"],
])("%i s is %s", (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

it("a recent time is shown as just now, even if the clock is ahead", () => {
  expect([ago(100, 130), ago(100, 90), ago(0, 720)]).toEqual(["just now", "just now", "12 min ago"]);
});
