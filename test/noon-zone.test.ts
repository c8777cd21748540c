import { expect, it } from "vitest";
import { noonZone } from "./support/noon-zone.js";

it("tests run at noon, regardless of the time of day", () => {
  for (let hour = 0; hour < 24; hour += 1) {
    const now = new Date(Date.UTC(2026, 2, 31, hour, 30));
    const local = new Intl.DateTimeFormat("en-GB", {
      timeZone: noonZone(now),
      hour: "numeric",
      hourCycle: "h23",
    });
    expect(local.format(now), `${hour} UTC`).toBe("12");
  }
  expect(process.env.TZ).toMatch(/^Etc\/GMT/);
});
