import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createLog } from "../../src/log.js";
import { LOG_FILE, LogFile, logFiles, removeLogLines } from "../../src/log-file.js";
import { hermes, runHermes, temporaryFolder } from "./support/run.js";

async function homeWithLog(): Promise<string> {
  const home = temporaryFolder();
  const file = new LogFile(path.join(home, "logs"));
  file.begin();
  const log = await createLog({
    ...{ level: "debug", pretty: false, file, secrets: ["hunter2hunter2"] },
    destination: { write: () => undefined },
  });
  log.info({ platform: "telegram" }, "connected");
  log.warn({ platform: "slack", detail: "hunter2hunter2" }, "no \u001b[31msocket");
  log.debug({}, "a detail");
  file.close();
  return home;
}

describe("hermes gateway logs", () => {
  it("shows the last lines, without escape codes and secrets", async () => {
    const home = await homeWithLog();
    const said = await hermes(home, "gateway", "logs");
    expect(said).toMatch(/^\S+ INFO {2}connected platform=telegram\n\S+ WARN {2}no socket platform=slack/);
    expect(said).not.toContain("hunter2");
    expect(await hermes(home, "gateway", "logs", "-n", "1")).toMatch(/^\S+ DEBUG a detail\n$/);
  });

  it("filters by level, platform, text and age", async () => {
    const home = await homeWithLog();
    const lines = async (...args: string[]) =>
      (await hermes(home, "gateway", "logs", ...args)).split("\n").filter((line) => line !== "");
    expect(await lines("--level", "warn")).toHaveLength(1);
    expect(await lines("--platform", "telegram")).toHaveLength(1);
    expect(await lines("--grep", "DETAIL")).toHaveLength(2);
    expect(await lines("--since", "1h")).toHaveLength(3);
    const [json] = await lines("--json", "--level", "warn");
    expect(JSON.parse(json!)).toMatchObject({ level: "warn", platform: "slack" });
  });

  it("reports a missing log", async () => {
    const ran = await runHermes(temporaryFolder(), ["gateway", "logs"]);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no log") });
  });
});

describe("the log file", () => {
  it("is private, keeps earlier lines, and starts a new one when it is full", () => {
    const folder = path.join(temporaryFolder(), "logs");
    for (let start = 0; start < 2; start += 1) {
      const file = new LogFile(folder);
      file.write("before the lock\n");
      file.begin();
      file.write(`${"x".repeat(6 * 1024 * 1024)}\n`);
      file.close();
    }
    expect(logFiles(folder).map((file) => path.basename(file))).toEqual([`${LOG_FILE}.1`]);
    const file = new LogFile(folder);
    file.begin();
    file.write("next\n");
    file.close();
    expect(fs.statSync(path.join(folder, LOG_FILE)).mode & 0o777).toBe(0o600);
    expect(fs.readFileSync(path.join(folder, LOG_FILE), "utf8")).toBe("next\n");
  });

  it("loses the lines of an erased person, while a gateway goes on writing", () => {
    const folder = path.join(temporaryFolder(), "logs");
    const file = new LogFile(folder);
    file.begin();
    file.write('{"sessionKey":"telegram:dm:4711"}\n{"sessionKey":"telegram:dm:42"}\n');
    removeLogLines(folder, ["4711"]);
    file.write("later\n");
    file.close();
    expect(fs.readFileSync(path.join(folder, LOG_FILE), "utf8")).toBe(
      '{"sessionKey":"telegram:dm:42"}\nlater\n',
    );
  });

  it("keeps lines in which a short id is only part of another word", () => {
    const folder = path.join(temporaryFolder(), "logs");
    const file = new LogFile(folder);
    file.begin();
    const kept = '{"time":"2026-01-02T03:04:05Z","msg":"some message"}\n';
    file.write(`${kept}{"sessionKey":"cli:dm:me"}\n{"msg":"a\\nme\\nb"}\n`);
    file.close();
    removeLogLines(folder, ["me"]);
    expect(fs.readFileSync(path.join(folder, LOG_FILE), "utf8")).toBe(kept);
  });

  it("writes nothing before begin, and ignores an unwritable folder", () => {
    const folder = path.join(temporaryFolder(), "logs");
    const file = new LogFile(folder);
    file.write("early\n");
    expect(fs.existsSync(folder)).toBe(false);
    fs.writeFileSync(folder, "in the way");
    file.begin();
    file.write("later\n");
    expect(fs.readFileSync(folder, "utf8")).toBe("in the way");
  });
});
