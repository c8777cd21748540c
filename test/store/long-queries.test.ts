import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";
import { sanitizeFtsQuery } from "../../src/store/shared/query.js";

it("searches for a long word followed by punctuation", () => {
  const query = "da39a3ee5e6b4b0d3255bfef95601890afd80709?";
  const module = path.resolve(import.meta.dirname, "../../dist/store/shared/query.js");
  // In a process of its own: what never finishes here can't be stopped by a test's time limit.
  const code = `import { sanitizeFtsQuery } from ${JSON.stringify(module)};
    process.stdout.write(sanitizeFtsQuery(${JSON.stringify(query)}));`;
  const given = ["--input-type=module", "--eval", code];
  const clean = execFileSync(process.execPath, given, { timeout: 25_000, encoding: "utf8" });
  expect(clean).toBe(`"${query}"`);
});

it("rejects a query that is too long before parsing it", () => {
  expect(() => sanitizeFtsQuery("a".repeat(2001))).toThrow("too long");
  expect(() => sanitizeFtsQuery(" ".repeat(10_000_000))).toThrow("too long");
});
