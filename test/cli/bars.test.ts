import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bar, drawBars } from "../../src/cli/bars.js";
import { counted, grouped, megabytes } from "../../src/cli/numbers.js";

describe("bars", () => {
  it("scales to the largest value", () => {
    expect(
      drawBars(
        [
          { label: "Mon", value: 10 },
          { label: "Tuesday", value: 5 },
          { label: "Wed", value: 0 },
        ],
        10,
      ),
    ).toEqual(["Mon      ██████████ 10", "Tuesday  █████      5", "Wed                 0"]);
  });

  it("stays within its width, shows every non-zero value, and grows with the value", () => {
    const count = fc.nat(1e6);
    fc.assert(
      fc.property(count, count, count, fc.integer({ min: 1, max: 80 }), (a, b, more, width) => {
        const max = Math.max(a, b) + more;
        expect(bar(a, max, width).length).toBeLessThanOrEqual(width);
        expect(bar(a, max, width).length > 0).toBe(a > 0);
        if (a <= b) expect(bar(a, max, width).length).toBeLessThanOrEqual(bar(b, max, width).length);
        if (a > 0) expect(bar(a, a, width).length).toBe(width);
      }),
    );
  });

  it("writes numbers the same everywhere", () => {
    expect(grouped(1234567)).toBe("1,234,567");
    expect(grouped(1.25)).toBe("1.3");
    expect(megabytes(13_002_342)).toBe("12.4 MB");
    expect(megabytes(0)).toBe("0.0 MB");
    expect([0, 1, 2].map((n) => counted(n, "day"))).toEqual(["0 days", "1 day", "2 days"]);
  });
});
