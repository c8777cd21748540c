import fc from "fast-check";
import { expect, it } from "vitest";
import { displayName } from "../../src/media/names.js";

it("display names have no folders or control characters", () => {
  expect(displayName("../../etc/passwd")).toBe("passwd");
  expect(displayName("C:\\temp\\a.txt")).toBe("a.txt");
  expect(displayName("a\u001b[31mb\u202egpj.exe")).toBe("a[31mbgpj.exe");
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (name) => {
      expect(displayName(name)).not.toMatch(/[/\\\p{Cc}]/u);
      expect(displayName(name).length).toBeLessThanOrEqual(120);
    }),
  );
});
