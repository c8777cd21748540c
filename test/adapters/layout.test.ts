import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const ADAPTERS = path.resolve(import.meta.dirname, "../../src/adapters");
const TESTS = import.meta.dirname;

const ROLES = [
  "index",
  "config",
  "connect",
  "platform",
  "receive",
  "normalise",
  "render",
  "send",
  "probe",
  "ids",
];
const TEST_FILES = ["receive.test.ts", "send.test.ts", "support.ts"];
const PLATFORMS = ["telegram", "discord", "slack", "mattermost", "matrix", "sms", "email", "whatsapp"];

const namesIn = (folder: string) => fs.readdirSync(folder);

describe.each(PLATFORMS)("the folder of %s", (platform) => {
  it("has a file for each role", () => {
    const missing = ROLES.filter((role) => !namesIn(path.join(ADAPTERS, platform)).includes(`${role}.ts`));
    expect(missing).toEqual([]);
  });

  it("has the tests of receiving and sending", () => {
    const missing = TEST_FILES.filter((file) => !namesIn(path.join(TESTS, platform)).includes(file));
    expect(missing).toEqual([]);
  });

  it("exports its settings under the names that all platforms use", () => {
    const config = fs.readFileSync(path.join(ADAPTERS, platform, "config.ts"), "utf8");
    expect(config).toContain("export function settingsOf(");
    expect(config).toContain("export interface Timing {");
    expect(config).toMatch(/export (?:interface|type) Settings\b/);
    expect(config).toContain("apiUrl");
  });

  it("has no copy of what the kit provides", () => {
    const copies = namesIn(path.join(ADAPTERS, platform)).filter((file) =>
      /^(?:backoff|bounded-map|health|timeout|wait|serial-queue|lanes)\.ts$/.test(file),
    );
    expect(copies).toEqual([]);
  });
});
