import { expect, it } from "vitest";
import { orderedIds } from "../src/ordered-id.js";

const NOON = Date.UTC(2026, 10, 18, 12);

it("begins with the time and is a UUID of version 7", () => {
  const id = orderedIds()(NOON);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toBe(NOON);
});

it("each id is greater than the one before, also in the same millisecond and after the clock was set back", () => {
  const next = orderedIds();
  const sameTime = Array.from({ length: 10_000 }, () => next(NOON));
  const setBack = [next(NOON - 60_000), next(NOON - 59_999)];
  const later = next(NOON + 60_000);
  const ids = [...sameTime, ...setBack, later];
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});
