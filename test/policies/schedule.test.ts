import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DueQuestion, planRun } from "../../src/policies/schedule.js";
import { formatWhen, lastTick, nextTick, parseWhen, type When } from "../../src/policies/when.js";

const at = (iso: string) => Date.parse(iso) / 1000;
const iso = (tick: number | null) =>
  tick === null ? null : new Date(tick * 1000).toISOString().slice(0, 19).replace(/:00$/, "");
const NOW = at("2026-06-16T07:15:30.250Z");
const parse = (text: string, timeZone = "UTC") => parseWhen(text, { now: NOW, timeZone });
const ticks = (when: When, from: string, count: number, timeZone: string) => {
  const found: (string | null)[] = [];
  for (let tick: number | null = at(from); found.length < count && tick !== null; ) {
    tick = nextTick(when, tick, timeZone);
    found.push(iso(tick));
  }
  return found;
};

describe("schedule times", () => {
  it.each([
    ["in 2h", "2026-06-16T09:15:31"],
    ["IN 90 minutes", "2026-06-16T08:45:31"],
    ["45s", "2026-06-16T07:16:16"],
    ["every 30m", "2026-06-16T07:45:31"],
    ["every hour", "2026-06-16T08:15:31"],
    ["every 2 days", "2026-06-18T07:15:31"],
    ["0 9 * * *", "2026-06-16T09:00"],
    ["@weekly", "2026-06-21T00:00"],
    ["0 9 * * MON-FRI", "2026-06-16T09:00"],
    ["2026-06-17T09:00", "2026-06-17T09:00"],
    ["2026-06-17 09:00:05", "2026-06-17T09:00:05"],
    ["2026-06-17T09:00+02:00", "2026-06-17T07:00"],
    ["2026-06-17T09:00Z", "2026-06-17T09:00"],
  ])("%s", (text, first) => {
    expect(iso(nextTick(parse(text), NOW, "UTC"))).toBe(first);
  });

  it("use the given time zone", () => {
    expect(iso(nextTick(parse("2026-06-17T09:00", "Europe/Berlin"), NOW, "Europe/Berlin"))).toBe(
      "2026-06-17T07:00",
    );
    expect(iso(nextTick(parse("0 9 * * *", "Asia/Kathmandu"), NOW, "Asia/Kathmandu"))).toBe(
      "2026-06-17T03:15",
    );
  });

  it.each([
    ["", "Invalid time"],
    ["soon", "Invalid time"],
    ["every", "Invalid time"],
    ["every blue moon", "Invalid time"],
    ["in a while", "Invalid time"],
    ["every 5s", "too often"],
    ["* * * * * *", "too often"],
    ["61 * * * *", "61"],
    ["0 0 31 2 *", "never matches"],
    ["2026-06-31T09:00", "Invalid time"],
    ["2026-06-16T07:15", "in the past"],
    ["in 999999w", "too far"],
    ["2999-01-01T00:00", "too far"],
  ])("%j is rejected", (text, words) => {
    expect(() => parse(text)).toThrow(words);
    expect(() => parse(text)).toThrow(expect.objectContaining({ name: "HermesError" }));
  });

  it("are formatted as they are parsed", () => {
    for (const text of ["every 30m", "every 2h", "every 1d", "every 90s", "0 9 * * *"])
      expect(formatWhen(parse(text))).toBe(text);
  });
});

describe("at a clock change", () => {
  const daily: When = { kind: "cron", expression: "30 2 * * *" };
  const halfHourly: When = { kind: "cron", expression: "*/30 * * * *" };

  it("a tick in the gap runs at its end", () => {
    expect(ticks(daily, "2026-03-27T12:00:00Z", 3, "Europe/Berlin")).toEqual([
      "2026-03-28T01:30",
      "2026-03-29T01:00",
      "2026-03-30T00:30",
    ]);
  });

  it("a repeated hour runs once a day, and half-hourly ticks stay half-hourly", () => {
    expect(ticks(daily, "2026-10-24T12:00:00Z", 2, "Europe/Berlin")).toEqual([
      "2026-10-25T00:30",
      "2026-10-26T01:30",
    ]);
    expect(ticks(halfHourly, "2026-10-24T23:50:00Z", 4, "Europe/Berlin")).toEqual([
      "2026-10-25T00:00",
      "2026-10-25T00:30",
      "2026-10-25T01:00",
      "2026-10-25T01:30",
    ]);
  });

  it("an interval is unaffected", () => {
    const every: When = { kind: "every", seconds: 86_400, from: at("2026-03-28T08:00:00Z") };
    expect(ticks(every, "2026-03-28T08:00:00Z", 2, "Europe/Berlin")).toEqual([
      "2026-03-29T08:00",
      "2026-03-30T08:00",
    ]);
  });
});

const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"];
const EXPRESSIONS = ["*/7 * * * *", "30 2 * * *", "0 0 1 * *", "15,45 1-3 * * *", "0 9 * * MON", "@hourly"];
// Around the clock changes of 2026, and between them.
const instants = fc.integer({ min: at("2026-03-01T00:00:00Z"), max: at("2026-11-30T00:00:00Z") });
const whens: fc.Arbitrary<When> = fc.oneof(
  fc.constantFrom(...EXPRESSIONS).map((expression): When => ({ kind: "cron", expression })),
  fc.record({
    kind: fc.constant("every" as const),
    seconds: fc.integer({ min: 10, max: 100_000 }),
    from: instants,
  }),
  fc.record({ kind: fc.constant("once" as const), at: instants }),
);

describe("ticks", () => {
  it("are in order, and the last tick is the previous next tick", () => {
    fc.assert(
      fc.property(whens, instants, fc.constantFrom(...ZONES), (when, now, zone) => {
        const next = nextTick(when, now, zone);
        const last = lastTick(when, now, zone);
        if (next !== null) {
          expect(next).toBeGreaterThan(now);
          expect(lastTick(when, next, zone)).toBe(next);
          expect(nextTick(when, next - 1, zone)).toBe(next);
        }
        if (last !== null) {
          expect(last).toBeLessThanOrEqual(now);
          expect(nextTick(when, last, zone)).toBe(next);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("a due schedule", () => {
  const nine: When = { kind: "cron", expression: "0 9 * * *" };
  const plan = (more: Partial<DueQuestion>) =>
    planRun({
      when: nine,
      dueAt: at("2026-06-16T09:00:00Z"),
      timeZone: "UTC",
      missed: "run",
      graceSeconds: 7200,
      isBusy: false,
      now: at("2026-06-16T09:00:01Z"),
      ...more,
    });

  it("runs on time, whatever the policy", () => {
    for (const missed of ["run", "skip"] as const)
      expect(plan({ missed })).toEqual({
        tick: at("2026-06-16T09:00:00Z"),
        nextAt: at("2026-06-17T09:00:00Z"),
        run: true,
        isLate: false,
      });
  });

  it("that was missed runs once within the grace period, or is skipped", () => {
    const later = { now: at("2026-06-18T09:30:00Z") };
    const tick = at("2026-06-18T09:00:00Z");
    const nextAt = at("2026-06-19T09:00:00Z");
    expect(plan(later)).toEqual({ tick, nextAt, run: true, isLate: true });
    expect(plan({ ...later, missed: "skip" })).toEqual({ tick, nextAt, run: false, reason: "missed" });
    expect(plan({ now: at("2026-06-18T12:00:00Z") })).toMatchObject({ run: false, reason: "missed" });
  });

  it("is skipped while the previous run is running", () => {
    expect(plan({ isBusy: true })).toMatchObject({ run: false, reason: "busy" });
  });

  it("that runs only once runs however late it is", () => {
    const once: When = { kind: "once", at: at("2026-06-16T09:00:00Z") };
    const weekLater = at("2026-06-23T09:00:00Z");
    expect(plan({ when: once, now: weekLater })).toMatchObject({ run: true, isLate: true, nextAt: null });
    expect(plan({ when: once, now: weekLater, missed: "skip" })).toMatchObject({ run: false, nextAt: null });
  });

  it("runs at most one tick, never an earlier one, and continues after now", () => {
    const late = fc.integer({ min: 0, max: 40 * 86_400 });
    const flags = fc.record({
      missed: fc.constantFrom("run" as const, "skip" as const),
      isBusy: fc.boolean(),
    });
    fc.assert(
      fc.property(whens, instants, late, fc.constantFrom(...ZONES), flags, (when, from, by, zone, more) => {
        const dueAt = nextTick(when, from, zone);
        if (dueAt === null) return;
        const now = dueAt + by;
        const planned = plan({ when, dueAt, timeZone: zone, now, ...more });
        expect(planned.tick).toBeGreaterThanOrEqual(dueAt);
        expect(planned.tick).toBeLessThanOrEqual(now);
        expect(planned.nextAt).toBe(nextTick(when, now, zone));
        if (planned.run) expect(more.isBusy).toBe(false);
      }),
    );
  });
});
