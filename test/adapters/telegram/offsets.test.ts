import fc from "fast-check";
import type { Update } from "grammy/types";
import { expect, it } from "vitest";
import { offsetAfter } from "../../../src/adapters/telegram/underway.js";

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { maxLength: 100 });
const updatesOf = (sorted: readonly number[]): Update[] => sorted.map((update_id) => ({ update_id }));

it("never confirms an update that was not taken, and every one before the first of those", () => {
  fc.assert(
    fc.property(ids, fc.func(fc.boolean()), (unsorted, wasTaken) => {
      const sorted = unsorted.toSorted((a, b) => a - b);
      const taken = new Set(sorted.filter((id) => wasTaken(id)));
      const confirmed = offsetAfter(updatesOf(sorted), taken) ?? 0;
      const firstLeft = sorted.find((id) => !taken.has(id)) ?? Number.POSITIVE_INFINITY;
      for (const id of sorted) expect(id < confirmed).toBe(id < firstLeft);
    }),
  );
});
