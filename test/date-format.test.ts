import { afterEach, expect, it } from "vitest";
import { timeWriter } from "../src/agents/prompt.js";
import { localTime } from "../src/commands/parts/times.js";
import { dateFormat } from "../src/date-format.js";
import { resetReason } from "../src/policies/reset.js";

const Original = Intl.DateTimeFormat;
let made = 0;

class Counted extends Original {
  constructor(locale?: string, options?: Intl.DateTimeFormatOptions) {
    super(locale, options);
    made += 1;
  }
}

afterEach(() => {
  Intl.DateTimeFormat = Original;
});

it("creates one formatter per zone, shared by all callers", () => {
  made = 0;
  Intl.DateTimeFormat = Counted as typeof Intl.DateTimeFormat;
  const use = (timezone: string) => {
    timeWriter(timezone)(new Date(0));
    localTime(0, timezone);
    const clock = { lastUserActivity: 0, now: 5e6, timeZone: timezone, hasBackgroundWork: false };
    resetReason({ mode: "daily", atHour: 4, idleMinutes: 60 }, clock);
  };
  // Zones that no other test uses: the formatters outlive a test file.
  for (let n = 0; n < 10; n += 1) for (const zone of ["Pacific/Chatham", "Asia/Kathmandu"]) use(zone);
  expect(made).toBe(6);
});

it("creates another formatter for other options", () => {
  const rome = { timeZone: "Europe/Rome", timeStyle: "short" } as const;
  expect(dateFormat("en-GB", rome)).toBe(dateFormat("en-GB", { ...rome }));
  expect(dateFormat("en-GB", rome).format(0)).toBe("01:00");
  expect(dateFormat("en-GB", { ...rome, timeZone: "UTC" }).format(0)).toBe("00:00");
  expect(dateFormat("en-US", rome).format(0)).not.toBe("01:00");
  expect(() => dateFormat("en", { timeZone: "Mars/Olympus" })).toThrow(RangeError);
});

it("keeps a limited number of formatters", () => {
  const first = dateFormat("en", { timeZone: "UTC", year: "numeric" });
  for (const timeZone of Intl.supportedValuesOf("timeZone").slice(0, 100)) dateFormat("en", { timeZone });
  expect(dateFormat("en", { timeZone: "UTC", year: "numeric" })).not.toBe(first);
});
