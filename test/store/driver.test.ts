import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { expect, it } from "vitest";
import { driverFault, requireSafeDriver } from "../../src/store/sqlite/driver.js";
import { tempDir } from "../support/temp.js";

it("is refused where it would abort Node, and only there", () => {
  const binary = path.join(tempDir(), "better_sqlite3.node");
  expect(driverFault(binary)).toBeUndefined();
  const entry = createRequire(import.meta.url).resolve("better-sqlite3");
  fs.writeFileSync(binary, fs.readFileSync(entry));
  expect(driverFault(binary)).toBeUndefined();
  fs.appendFileSync(binary, "\0_ZN4node28RemoveEnvironmentCleanupHookEPN2v87IsolateEPFvPvES3_\0");
  expect(driverFault(binary)).toMatchObject({ code: "unavailable", hint: expect.stringContaining("@13") });
  // These tests run, so this one is safe.
  expect(requireSafeDriver).not.toThrow();
});
