import { describe, expect, it } from "vitest";
import { BoundedMap } from "../src/bounded-map.js";

describe("BoundedMap", () => {
  it("drops the entry that was used least recently", () => {
    const map = new BoundedMap<string, number>(2);
    map.set("a", 1);
    map.set("b", 2);
    expect(map.get("a")).toBe(1);
    map.set("c", 3);
    expect(map.entries()).toEqual([
      ["a", 1],
      ["c", 3],
    ]);
    expect(map.get("b")).toBeUndefined();
  });

  it("doesn't count `has` as use", () => {
    const map = new BoundedMap<string, number>(2);
    map.set("a", 1);
    map.set("b", 2);
    expect(map.has("a")).toBe(true);
    map.set("c", 3);
    expect(map.has("a")).toBe(false);
  });

  it("never grows past its limit", () => {
    const map = new BoundedMap<number, number>(10);
    for (let i = 0; i < 10_000; i++) map.set(i % 5000, i);
    expect(map.size).toBe(10);
  });

  it("replaces and deletes entries", () => {
    const map = new BoundedMap<string, number>(2);
    map.set("a", 1);
    map.set("a", 2);
    expect(map.size).toBe(1);
    expect(map.delete("a")).toBe(true);
    expect(map.delete("a")).toBe(false);
    map.set("b", 1);
    map.clear();
    expect(map.size).toBe(0);
  });

  it("can be read and changed while its entries are iterated", () => {
    const map = new BoundedMap<string, number>(3);
    for (const key of ["a", "b", "c"]) map.set(key, 1);
    for (const [key] of map.entries()) {
      map.get(key);
      map.set(`${key}${key}`, 2);
    }
    expect(map.size).toBe(3);
  });

  it("rejects a size below 1", () => {
    for (const size of [0, -1, Number.NaN]) expect(() => new BoundedMap(size)).toThrow(RangeError);
  });
});
