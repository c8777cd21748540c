import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { acquireLock } from "../../../src/store/sqlite/lock.js";
import { someHistory, storeIn } from "../support/home.js";
import { hermes, hermesJson, runHermes, temporaryFolder } from "../support/run.js";

interface Report {
  ok: boolean;
  findings: { check: string; state: string; message: string; fix?: string }[];
  dead: { id: string; text: string; error: string | null }[];
}

const KEY = "agent:main:telegram:dm:7";

/** A message whose turn failed for good. */
async function withDeadMessage(): Promise<string> {
  const home = temporaryFolder();
  await storeIn(home, async (store) => {
    const origin = { platform: "telegram", chatType: "dm", chatId: "7", userId: "7" };
    const message = {
      ...{
        platform: "telegram",
        account: "bot",
        eventId: "1",
        origin,
        text: "please answer\nme",
        attachments: [],
      },
      ...{
        sentAt: 1,
        mentioned: false,
        repliedToBot: false,
        threadWithBot: false,
        isBot: false,
        authenticated: false,
      },
    };
    const [row] = await store.acceptMessages([{ message, sessionKey: KEY, receivedAt: 1 }]);
    await store.switchRoute({
      ...{ sessionKey: KEY, origin, tuple: "t", session: { id: "s1", source: "telegram" } },
      ...{ expectedSessionId: null, endReason: "session_reset", at: 1 },
    });
    const inboxIds = [row!.id];
    const turn = await store.startTurn({ sessionKey: KEY, inboxIds, bootId: "b", turnId: "t1", at: 2 });
    const failure = {
      turnId: "t1",
      sessionKey: KEY,
      epoch: turn!.epoch,
      inboxIds,
      error: "the model is gone",
    };
    await store.failTurn({ ...failure, next: { state: "dead" }, replies: [] });
  });
  return home;
}

const findings = (report: Report, check: string) =>
  report.findings.filter((finding) => finding.check === check);

describe("hermes doctor", { timeout: 90_000 }, () => {
  it("reports no faults for a healthy home, and creates no files", async () => {
    const home = await someHistory();
    const report = await hermesJson<Report>(home, "doctor", "--deep");
    expect(report.ok).toBe(true);
    // As the dashboard counts it.
    expect(report.findings.filter(({ state }) => state !== "ok")).toEqual([
      expect.objectContaining({ check: "model", state: "warn", fix: "Run `hermes setup`." }),
    ]);
    expect(findings(report, "database")[0]!.message).toMatch(
      /^opens \(schema 11, compact\): \d sessions, \d messages$/,
    );
    expect(findings(report, "integrity")).toHaveLength(1);
    const empty = join(temporaryFolder(), "not", "made", "yet");
    expect(await hermes(empty, "doctor")).toMatch(
      /warn {2}home: .* doesn't exist yet[\s\S]*ok {4}database: doesn't exist yet/,
    );
  });

  it("knows no missing model where another program answers", async () => {
    const home = temporaryFolder();
    const acp = "agent: {backend: acp}\nacp: {command: some-agent}\n";
    writeFileSync(join(home, "config.yaml"), acp, { mode: 0o600 });
    const report = await hermesJson<Report>(home, "doctor", "--offline");
    expect(findings(report, "config")).toMatchObject([{ state: "ok" }]);
    expect(findings(report, "model")).toEqual([]);
  });

  it("lists every fault of the configuration and fails", async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, "config.yaml"), "timezone: Mars\nhttp: {port: many}\n", { mode: 0o600 });
    const ran = await runHermes(home, ["doctor"]);
    expect(ran).toMatchObject({ code: 1, stderr: "" });
    expect(ran.stdout).toMatch(/^fail {2}config: .*timezone[\s\S]*http\.port[\s\S]*→ /);
  });

  it("warns of files that others can read, with the command to fix it", async () => {
    const home = await someHistory();
    writeFileSync(join(home, ".env"), "X=1\n");
    chmodSync(join(home, ".env"), 0o644);
    chmodSync(home, 0o755);
    const report = await hermesJson<Report>(home, "doctor");
    expect(report.ok).toBe(true);
    expect(findings(report, "home")[0]).toMatchObject({ state: "warn", fix: `chmod 700 ${home}` });
    expect(findings(report, "permissions")).toMatchObject([
      { state: "warn", fix: `chmod 600 ${join(home, ".env")}` },
    ]);
  });

  it("fails for a file that isn't a database", async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, "state.db"), "no database".repeat(100), { mode: 0o600 });
    const ran = await runHermes(home, ["doctor"]);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/fail {2}database: .*is not an SQLite database/);
  });

  it("reports the running gateway, and faults of sessions.json", async () => {
    const home = await someHistory();
    mkdirSync(join(home, "sessions"));
    writeFileSync(join(home, "sessions", "sessions.json"), "{", { mode: 0o600 });
    const lock = await acquireLock(home, {
      pid: 4711,
      started_at: 1781601323,
      boot_id: "b",
      url: "http://127.0.0.1:8787",
    });
    onTestFinished(() => lock.leave());
    const report = await hermesJson<Report>(home, "doctor");
    expect(findings(report, "gateway")[0]!.message).toMatch(
      /^running at http:\/\/127\.0\.0\.1:8787 \(pid 4711, since 2026-/,
    );
    expect(findings(report, "sessions.json")[0]).toMatchObject({ state: "warn" });
  });

  it("lists failed messages, and retries them with --retry", async () => {
    const home = await withDeadMessage();
    const text = await hermes(home, "doctor");
    expect(text).toMatch(/warn {2}queues: 1 message failed:\n[\s\S]*in:1 {2}telegram {2}7 {2}1 attempt/);
    expect(text).toMatch(/please answer me\n +the model is gone\n$/);
    expect((await hermesJson<Report>(home, "doctor")).dead).toMatchObject([
      { id: "in:1", error: "the model is gone" },
    ]);
    for (const wrong of ["in:99", "everything"]) {
      expect((await runHermes(home, ["doctor", "--retry", wrong])).code).toBe(1);
    }
    expect(await hermes(home, "doctor", "--retry", "in:1")).toBe("1 message will be retried.\n");
    expect(await storeIn(home, (store) => store.openMessages())).toHaveLength(1);
    expect(await hermesJson(home, "doctor", "--retry", "all")).toEqual({ retried: 0 });
  });
});
