import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { shownLine } from "../../src/http/dashboard/log-stream.js";
import { RecentErrors } from "../../src/http/dashboard/recent-errors.js";
import { LogFile, lastLines } from "../../src/log-file.js";
import { tempDir } from "../support/temp.js";

const line = (fields: object) =>
  JSON.stringify({ level: "info", time: "2026-11-18T10:00:00.000Z", ...fields });
const ANY = { level: undefined, area: undefined, text: undefined };

describe("a line of the log", () => {
  it("has an area, its fields and its trace", () => {
    const shown = shownLine(line({ platform: "telegram", traceId: "f00d", n: 1, msg: "accepted" }), ANY);
    expect(shown).toEqual({
      ...{
        at: 1794996000,
        level: "info",
        area: "telegram",
        text: "accepted",
        fields: "n=1",
        traceId: "f00d",
      },
    });
    expect(shownLine(line({ server: "files", msg: "MCP server ready" }), ANY)?.area).toBe("mcp");
    const byOperator = shownLine(line({ action: "connect", platform: "slack", msg: "operator" }), ANY);
    expect(byOperator).toMatchObject({ area: "operator", fields: "action=connect platform=slack" });
    expect(shownLine(line({ msg: "gateway started" }), ANY)?.area).toBe("gateway");
    expect(shownLine('{"level":"info","msg":"cut o', ANY)).toBeUndefined();
  });

  it("is filtered by level, area and text, and long ones are cut", () => {
    const warning = line({ level: "warn", platform: "slack", msg: `No socket ${"x".repeat(9000)}` });
    expect(shownLine(warning, { ...ANY, level: "warn" })?.text).toHaveLength(2000);
    expect(shownLine(warning, { ...ANY, level: "error" })).toBeUndefined();
    expect(shownLine(warning, { ...ANY, area: "slack" })).toBeDefined();
    expect(shownLine(warning, { ...ANY, area: "telegram" })).toBeUndefined();
    expect(shownLine(warning, { ...ANY, text: "no socket" })).toBeDefined();
    expect(shownLine(warning, { ...ANY, text: "no such thing" })).toBeUndefined();
  });
});

describe("recent errors", () => {
  it("are those of a bot and its platform, the latest first, and repeated ones are counted", () => {
    const errors = new RecentErrors();
    errors.take(line({ platform: "slack", msg: "all is well" }));
    errors.take(
      line({ level: "warn", platform: "slack", account: "a", msg: "not sent", reason: "too long" }),
    );
    errors.take(
      line({ level: "error", platform: "slack", msg: "could not connect", err: { message: "no" } }),
    );
    errors.take(
      line({ level: "error", platform: "slack", msg: "could not connect", err: { message: "no" } }),
    );
    errors.take(line({ level: "error", platform: "slack", account: "b", msg: "another bot" }));
    errors.take(line({ level: "error", msg: "about no platform" }));
    const shown = errors.of("slack", "a").map(({ text, count }) => [text, count]);
    expect(shown).toEqual([
      ["could not connect: no", 2],
      ["not sent: too long", 1],
    ]);
    for (let n = 0; n < 100; n += 1)
      errors.take(line({ level: "warn", platform: "slack", msg: `${n} ${"x".repeat(9000)}` }));
    expect(errors.of("slack", "a")).toHaveLength(20);
    expect(errors.of("slack", "a")[0]?.text).toHaveLength(1000);
    expect(errors.of("telegram", "a")).toEqual([]);
  });
});

describe("the last lines of the log", () => {
  it("are whole, come from older files too, and are seen by watchers as they are written", () => {
    const folder = path.join(tempDir(), "logs");
    const file = new LogFile(folder);
    const seen: string[] = [];
    const unwatch = file.watch((one) => seen.push(one));
    file.begin();
    file.write("one\n");
    file.write("two\n");
    unwatch();
    file.write("three\n");
    file.close();
    fs.writeFileSync(path.join(folder, "hermes-gateway.log.1"), "older\nold\n");
    expect(seen).toEqual(["one\n", "two\n"]);
    expect(lastLines(folder, 1000)).toEqual(["older", "old", "one", "two", "three"]);
    expect(lastLines(folder, 12)).toEqual(["two", "three"]);
    expect(lastLines(path.join(folder, "nothing"), 1000)).toEqual([]);
  });
});
