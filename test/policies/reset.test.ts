import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type NaiveResetQuestion,
  nextReset,
  type ResetPolicy,
  resetPolicyFor,
  resetReason,
  resetReasonNaive,
} from "../../src/policies/reset.js";

type Vector = NaiveResetQuestion & { note: string; should_reset: string | null; is_expired: boolean };
const vectors: Vector[] = JSON.parse(
  readFileSync(new URL("../vectors/reset-policy-vectors.json", import.meta.url), "utf8"),
);

const at = (iso: string) => Date.parse(iso) / 1000;
const daily = (atHour: number): ResetPolicy => ({ mode: "daily", atHour, idleMinutes: 1440 });

describe("reset reason on the vectors", () => {
  for (const vector of vectors) {
    it(`${vector.note}: ${vector.should_reset ?? "none"}`, () => {
      expect(resetReasonNaive(vector) ?? null).toBe(vector.should_reset);
      expect(resetReasonNaive(vector) !== undefined).toBe(vector.is_expired);
    });
  }
});

it("background work prevents a reset, however long the session was idle", () => {
  const question = {
    ...vectors.find((vector) => vector.should_reset === "idle")!,
    has_active_processes: true,
  };
  expect(resetReasonNaive(question)).toBeUndefined();
});

it("a fractional time isn't due exactly at its deadline, even after 2038", () => {
  const policy: ResetPolicy = { mode: "idle", atHour: 4, idleMinutes: 1 };
  for (const start of [1781604000.123457, 2147483640.900001]) {
    const clock = { lastUserActivity: start, timeZone: "UTC", hasBackgroundWork: false };
    expect(resetReason(policy, { ...clock, now: Number((start + 60).toFixed(6)) })).toBeUndefined();
    expect(resetReason(policy, { ...clock, now: Number((start + 60.000001).toFixed(6)) })).toBe("idle");
  }
});

it.each(["2026-13-01T00:00:00", "yesterday", "2026-06-16T11:00:00Z"])("%s isn't a naive time", (now) => {
  expect(() => resetReasonNaive({ ...vectors[0]!, now })).toThrow(/Not a local ISO time/);
});

it("the error names an unknown zone", () => {
  const clock = { lastUserActivity: 0, now: 1, timeZone: "Mars/Olympus", hasBackgroundWork: false };
  expect(() => resetReason(daily(4), clock)).toThrow(/Mars\/Olympus/);
});

/** The first daily boundary after an instant. */
function boundaryAfter(instant: number, atHour: number, timeZone: string): number {
  const clock = { lastUserActivity: instant, now: instant, timeZone, hasBackgroundWork: false };
  return nextReset(daily(atHour), clock)!.at;
}

describe("the daily boundary when the clock changes", () => {
  const cases: [string, string, number, string, string][] = [
    ["gap: the first instant after it", "Europe/Berlin", 2, "2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z"],
    ["overlap: the first of two", "Europe/Berlin", 2, "2026-10-24T12:00:00Z", "2026-10-25T00:00:00Z"],
    ["overlap: not the second", "Europe/Berlin", 2, "2026-10-25T00:00:00Z", "2026-10-26T01:00:00Z"],
    ["gap at midnight", "America/Sao_Paulo", 0, "2018-11-04T02:00:00Z", "2018-11-04T03:00:00Z"],
    ["half an hour of gap", "Australia/Lord_Howe", 2, "2026-10-03T12:00:00Z", "2026-10-03T15:30:00Z"],
    [
      "a skipped date ends where the next begins",
      "Pacific/Apia",
      4,
      "2011-12-30T00:00:00Z",
      "2011-12-30T10:00:00Z",
    ],
    ["after the skipped date", "Pacific/Apia", 4, "2011-12-30T10:00:00Z", "2011-12-30T14:00:00Z"],
    [
      "the clock goes back over midnight",
      "America/St_Johns",
      0,
      "2010-11-06T12:00:00Z",
      "2010-11-07T02:30:00Z",
    ],
  ];
  it.each(cases)("%s (%s)", (_, timeZone, atHour, after, boundary) => {
    // The last case: it is 00:00 at 02:30Z; at 00:01 the clock falls back to 23:01 of the previous day.
    const next = boundaryAfter(at(after), atHour, timeZone);
    expect(new Date(next * 1000).toISOString()).toBe(new Date(boundary).toISOString());
  });

  it("the new day's boundary stays passed after the clock falls back over midnight", () => {
    const clock = { timeZone: "America/St_Johns", hasBackgroundWork: false };
    // 23:30 of the 6th, for the second time; the 7th began half an hour ago.
    const now = at("2010-11-07T03:00:00Z");
    expect(resetReason(daily(0), { ...clock, now, lastUserActivity: at("2010-11-07T02:29:59Z") })).toBe(
      "daily",
    );
    expect(
      resetReason(daily(0), { ...clock, now, lastUserActivity: at("2010-11-07T02:30:00Z") }),
    ).toBeUndefined();
  });
});

type ReadClock = (epochMinute: number) => number;

/** Local time as minutes since 1970-01-01T00:00 local time, computed differently than in the source. */
function wallClockIn(timeZone: string): ReadClock {
  const clock = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  const known = new Map<number, number>();
  return (epochMinute) => {
    const wall = known.get(epochMinute) ?? Date.parse(`${clock.format(epochMinute * 60_000)}Z`) / 60_000;
    known.set(epochMinute, wall);
    return wall;
  };
}

/** Brute force: the latest minute at or before `now` at which the clock first reaches or skips the hour. */
function boundaryByWalking(nowMinute: number, atHour: number, wallClock: ReadClock): number {
  const start = nowMinute - 3 * 1440;
  let latest = Number.NaN;
  let furthest = wallClock(start);
  for (let minute = start + 1; minute <= nowMinute; minute++) {
    const wall = wallClock(minute);
    if (wall <= furthest) continue;
    const lastHour = Math.floor((wall - atHour * 60) / 1440) * 1440 + atHour * 60;
    if (lastHour > furthest) latest = minute;
    furthest = wall;
  }
  return latest;
}

describe("the daily boundary equals a brute-force search over every minute", () => {
  const changes: [string, string[]][] = [
    ["Europe/Berlin", ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"]],
    ["America/New_York", ["2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z"]],
    ["Australia/Lord_Howe", ["2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z"]],
    ["America/Sao_Paulo", ["2018-11-04T03:00:00Z", "2019-02-17T02:00:00Z"]],
    ["Africa/Casablanca", ["2025-02-23T02:00:00Z", "2025-04-06T02:00:00Z"]],
    ["Asia/Kolkata", ["2026-03-29T01:00:00Z"]],
    ["Pacific/Apia", ["2011-12-30T10:00:00Z", "2012-03-31T14:00:00Z"]],
    ["America/St_Johns", ["2010-11-07T02:31:00Z"]],
  ];
  it.each(changes)("%s", (timeZone, instants) => {
    const wallClock = wallClockIn(timeZone);
    const near = fc.tuple(fc.constantFrom(...instants), fc.integer({ min: -2160, max: 2880 }));
    fc.assert(
      fc.property(near, fc.integer({ min: 0, max: 23 }), ([instant, offsetMinutes], atHour) => {
        const nowMinute = at(instant) / 60 + offsetMinutes;
        const boundary = boundaryByWalking(nowMinute, atHour, wallClock) * 60;
        const state = { now: nowMinute * 60, timeZone, hasBackgroundWork: false };
        expect(resetReason(daily(atHour), { ...state, lastUserActivity: boundary })).toBeUndefined();
        expect(resetReason(daily(atHour), { ...state, lastUserActivity: boundary - 0.000001 })).toBe("daily");
      }),
      { numRuns: 150 },
    );
  });
});

describe("the next reset", () => {
  const policies = fc.record({
    mode: fc.constantFrom("idle", "daily", "both"),
    atHour: fc.integer({ min: 0, max: 23 }),
    idleMinutes: fc.integer({ min: 1, max: 4000 }),
  });
  const lasts = fc.integer({ min: at("2026-03-27T00:00:00Z"), max: at("2026-03-31T00:00:00Z") });

  it("is the instant and reason of the actual reset", () => {
    fc.assert(
      fc.property(policies, lasts, (policy, last) => {
        const clock = { lastUserActivity: last, timeZone: "Europe/Berlin", hasBackgroundWork: false };
        const next = nextReset(policy, { ...clock, now: last })!;
        expect(resetReason(policy, { ...clock, now: next.at - 0.000001 })).toBeUndefined();
        expect(resetReason(policy, { ...clock, now: next.at + 0.000001 })).toBeDefined();
        expect(nextReset(policy, { ...clock, now: next.at - 1 })).toEqual(next);
      }),
      { numRuns: 200 },
    );
  });

  it("is in the past if it is due, with the reason of the reset", () => {
    const policy: ResetPolicy = { mode: "both", atHour: 4, idleMinutes: 60 };
    const last = at("2026-06-15T20:00:00Z");
    const clock = {
      lastUserActivity: last,
      now: at("2026-06-16T09:00:00Z"),
      timeZone: "UTC",
      hasBackgroundWork: false,
    };
    expect(nextReset(policy, clock)).toEqual({ at: last + 3600, reason: "idle" });
  });

  it("is undefined in mode none and during background work", () => {
    const clock = { lastUserActivity: 0, now: 1, timeZone: "UTC", hasBackgroundWork: false };
    expect(nextReset({ ...daily(4), mode: "none" }, clock)).toBeUndefined();
    expect(nextReset(daily(4), { ...clock, hasBackgroundWork: true })).toBeUndefined();
  });
});

describe("the reset policy", () => {
  const [base, byType, byPlatform] = [daily(1), daily(2), daily(3)];
  const settings = { default: base, byType: { group: byType }, byPlatform: { irc: byPlatform } };

  it("of the platform wins over the chat type's and the default", () => {
    expect(resetPolicyFor({ platform: "irc", chatType: "group" }, settings)).toBe(byPlatform);
    expect(resetPolicyFor({ platform: "sms", chatType: "group" }, settings)).toBe(byType);
    expect(resetPolicyFor({ platform: "sms", chatType: "dm" }, settings)).toBe(base);
    const lasting = { ...settings, lasting: new Set(["sms", "irc"]) };
    const thread = { chatType: "dm", threadId: "t1" };
    expect(resetPolicyFor({ platform: "sms", ...thread }, lasting).mode).toBe("none");
    expect(resetPolicyFor({ platform: "irc", ...thread }, lasting)).toBe(byPlatform);
    expect(resetPolicyFor({ platform: "sms", chatType: "dm" }, lasting)).toBe(base);
  });

  it("isn't inherited from Object for a chat type named constructor", () => {
    expect(resetPolicyFor({ platform: "toString", chatType: "constructor" }, settings)).toBe(base);
  });
});
