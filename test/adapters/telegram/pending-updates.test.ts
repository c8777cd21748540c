import fc from "fast-check";
import type { Update } from "grammy/types";
import { expect, it } from "vitest";
import { offsetAfter } from "../../../src/adapters/telegram/pending-updates.js";

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { maxLength: 100 });
const updatesOf = (sorted: readonly number[]): Update[] => sorted.map((update_id) => ({ update_id }));

it("confirms all updates before the first that wasn't received, and none after it", () => {
  fc.assert(
    fc.property(ids, fc.func(fc.boolean()), (unsorted, wasReceived) => {
      const sorted = unsorted.toSorted((a, b) => a - b);
      const received = new Set(sorted.filter((id) => wasReceived(id)));
      const confirmed = offsetAfter(updatesOf(sorted), received) ?? 0;
      const firstLeft = sorted.find((id) => !received.has(id)) ?? Number.POSITIVE_INFINITY;
      for (const id of sorted) expect(id < confirmed).toBe(id < firstLeft);
    }),
  );
});
