import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { systemZone } from "../../src/config/system-zone.js";
import { tempDir } from "../support/temp.js";

const INTL = Intl.DateTimeFormat().resolvedOptions().timeZone;

function linkedTo(target: string): string {
  const link = path.join(tempDir(), "localtime");
  fs.symlinkSync(target, link);
  return link;
}

it.each([
  ["/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"],
  ["../usr/share/zoneinfo/America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
  ["/usr/share/zoneinfo/Etc/GMT+5", "Etc/GMT+5"],
  ["/usr/share/zoneinfo/Etc/UTC", "UTC"],
])("is read from the link to %s", (target, zone) => {
  expect(systemZone({}, linkedTo(target))).toBe(zone);
  expect(() => new Intl.DateTimeFormat("en", { timeZone: zone })).not.toThrow();
});

it("is the one that Intl finds, on this machine", () => {
  const named = (timeZone: string) => new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  expect(named(systemZone())).toBe(named(INTL));
});

it.each([
  ["TZ is set", { TZ: "Asia/Tokyo" }, () => linkedTo("/usr/share/zoneinfo/Europe/Berlin")],
  ["there is no link", {}, () => path.join(tempDir(), "nowhere")],
  ["the link leads elsewhere", {}, () => linkedTo("/etc/zone-of-the-house")],
  ["the link leads to a copy", {}, () => linkedTo("/usr/share/zoneinfo/right/Europe/Berlin")],
])("comes from Intl where %s", (_, env, link) => {
  expect(systemZone(env, link())).toBe(INTL);
});
