import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import lock from "../../package-lock.json" with { type: "json" };
import { chooseDriver, driverFault, requireSafeDriver } from "../../src/store/sqlite/driver.js";
import { tempDir } from "../support/temp.js";

const ROOT = path.resolve(import.meta.dirname, "../..");
const V12 = { name: "better-sqlite3-12", version: "12.11.1" };
const V13 = { name: "better-sqlite3", version: "13.0.3" };

describe("loading better-sqlite3", () => {
  it.each([
    ["20.20.2", [V13, V12], V12],
    ["22.23.3", [V13, V12], V13],
    ["24.21.0", [V13, V12], V13],
    ["26.10.0", [V13, V12], V13],
  ])("on Node %s is the one that runs there", (node, installed, chosen) => {
    expect(chooseDriver(node, installed)).toEqual(chosen);
  });

  it("chooses the package by its version, not by its name", () => {
    const plain = { name: "better-sqlite3", version: "12.11.1" };
    expect(chooseDriver("20.20.2", [plain])).toEqual(plain);
    expect(chooseDriver("22.23.3", [plain])).toEqual(plain);
  });

  it("never loads version 13 on Node 20, which it would crash", () => {
    expect(chooseDriver("20.20.2", [V13])).toBeUndefined();
    expect(chooseDriver("24.21.0", [])).toBeUndefined();
  });

  it("rejects a build that would abort Node", () => {
    const binary = path.join(tempDir(), "better_sqlite3.node");
    expect(driverFault(binary)).toBeUndefined();
    fs.writeFileSync(binary, "machine code");
    expect(driverFault(binary)).toBeUndefined();
    fs.appendFileSync(binary, "\0_ZN4node28RemoveEnvironmentCleanupHookEPN2v87IsolateEPFvPvES3_\0");
    expect(driverFault(binary)).toMatchObject({ code: "unavailable", hint: expect.stringContaining("npm") });
    // These tests run, so this one is safe.
    expect(requireSafeDriver).not.toThrow();
  });
});

describe("the lock file", () => {
  const locked = lock.packages as Record<
    string,
    { version?: string; optional?: boolean; engines?: { node: string }; resolved?: string }
  >;

  it("has both versions, and npm skips the one that doesn't run here", () => {
    expect(locked["node_modules/better-sqlite3"]).toMatchObject({
      version: expect.stringMatching(/^13\./),
      engines: { node: ">=22" },
      optional: true,
    });
    expect(locked["node_modules/better-sqlite3-12"]).toMatchObject({
      version: expect.stringMatching(/^12\./),
      optional: true,
    });
    expect(locked["node_modules/sqlite-on-node20"]).toMatchObject({
      engines: { node: "20.x" },
      optional: true,
    });
    const { version: v13 } = locked["node_modules/better-sqlite3"]!;
    const { version: v12 } = locked["node_modules/better-sqlite3-12"]!;
    expect(manifest.optionalDependencies["better-sqlite3"]).toBe(`${v12} || ${v13}`);
  });

  it("keeps version 12 behind a package for Node 20 that matches its source", () => {
    const packed = execFileSync("tar", ["-xzOf", "drivers/node20.tgz", "package/package.json"], {
      cwd: ROOT,
    });
    expect(String(packed)).toBe(fs.readFileSync(path.join(ROOT, "drivers/node20/package.json"), "utf8"));
  });

  it("names no registry", () => {
    const hosts = Object.values(locked).filter(({ resolved }) => resolved && /^https?:/.test(resolved));
    expect(hosts).toEqual([]);
  });
});

it("the program, the benchmarks and the scripts load better-sqlite3 through one module", () => {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "src", "bench", "scripts"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const direct = files
    .trim()
    .split("\n")
    .filter((file) => file.endsWith(".ts") && fs.existsSync(path.join(ROOT, file)))
    .filter((file) =>
      /^import (?!type).*"better-sqlite3"/m.test(fs.readFileSync(path.join(ROOT, file), "utf8")),
    );
  expect(direct).toEqual([]);
});
