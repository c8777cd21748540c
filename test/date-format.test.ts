import { afterEach, expect, it } from "vitest";
import { systemPrompt } from "../src/agents/prompt.js";
import { dateFormat } from "../src/date-format.js";
import { resetReason } from "../src/policies/reset.js";
import { localTime } from "../src/routing/commands/parts/times.js";

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

it("a formatter is made once for each zone, whoever needs it", () => {
  made = 0;
  Intl.DateTimeFormat = Counted as typeof Intl.DateTimeFormat;
  const use = (timezone: string) => {
    const facts = { platform: "test", chatType: "dm", shared: false, memory: {} };
    systemPrompt({ ...facts, now: new Date(0), timezone });
    localTime(0, timezone);
    const clock = { lastUserActivity: 0, now: 5e6, timeZone: timezone, hasBackgroundWork: false };
    resetReason({ mode: "daily", atHour: 4, idleMinutes: 60 }, clock);
  };
  for (let n = 0; n < 10; n += 1) for (const zone of ["Europe/Rome", "Asia/Tokyo"]) use(zone);
  expect(made).toBe(6);
});

it("a formatter with other options is another one", () => {
  const rome = { timeZone: "Europe/Rome", timeStyle: "short" } as const;
  expect(dateFormat("en-GB", rome)).toBe(dateFormat("en-GB", { ...rome }));
  expect(dateFormat("en-GB", rome).format(0)).toBe("01:00");
  expect(dateFormat("en-GB", { ...rome, timeZone: "UTC" }).format(0)).toBe("00:00");
  expect(dateFormat("en-US", rome).format(0)).not.toBe("01:00");
  expect(() => dateFormat("en", { timeZone: "Mars/Olympus" })).toThrow(RangeError);
});

it("only some are kept", () => {
  const first = dateFormat("en", { timeZone: "UTC", year: "numeric" });
  for (const timeZone of Intl.supportedValuesOf("timeZone").slice(0, 100)) dateFormat("en", { timeZone });
  expect(dateFormat("en", { timeZone: "UTC", year: "numeric" })).not.toBe(first);
});
