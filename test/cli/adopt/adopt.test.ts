import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { rows } from "../../support/agreement.js";
import {
  inspect,
  makeInlineFile,
  makeNewerFile,
  makeOldFile,
  readRows,
  readVersion,
  sampleHistory,
} from "../../support/old-schemas.js";
import { Process } from "../../support/processes.js";
import { storeIn } from "../support/home.js";
import { hermesJson, ROOT, runHermes } from "../support/run.js";
import { ANN, agentHome, chat, photograph, put, type Report } from "./homes.js";

const FILES: [name: string, make: (file: string) => void][] = [
  ...([1, 3, 8, 10] as const).map((version): [string, (file: string) => void] => [
    `version ${version}`,
    (file) => makeOldFile(file, version, sampleHistory()),
  ]),
  ["version 11, inline", (file) => makeInlineFile(file, sampleHistory())],
  ["version 16", (file) => makeNewerFile(file, 16, sampleHistory())],
  ["version 8 with a rollback journal", withRollbackJournal],
  ["version 8 with what a crash left in its WAL", withLeftWal],
];

function withRollbackJournal(file: string): void {
  makeOldFile(file, 8, sampleHistory());
  const db = new Database(file);
  db.pragma("journal_mode = DELETE");
  db.close();
}

/** The last message is in the WAL only. */
function withLeftWal(file: string): void {
  const live = `${file}.live`;
  makeOldFile(live, 8, sampleHistory());
  const db = new Database(live);
  db.pragma("wal_autocheckpoint = 0");
  db.prepare(
    "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s3', 'user', 'late', 3)",
  ).run();
  for (const suffix of ["", "-wal"]) fs.copyFileSync(live + suffix, file + suffix);
  db.close();
  fs.rmSync(live);
}

const adopt = (home: string, ...options: string[]) => hermesJson<Report>(home, "adopt", ...options);

async function ended(home: string, ...options: string[]): Promise<{ code: number | null; report: Report }> {
  const { code, stdout } = await runHermes(home, ["adopt", "--json", ...options]);
  return { code, report: JSON.parse(stdout) as Report };
}

const said = ({ findings }: Report, check: string, state?: string) =>
  findings.filter((finding) => finding.check === check && (state ?? finding.state) === finding.state);

describe.each(FILES)("a home with a file of %s", (_, make) => {
  it("is checked without changes, then adopted once", async () => {
    const home = agentHome(make);
    const before = photograph(home);
    const messages = inspectMessages(home);
    const plan = await adopt(home, "--check");
    expect(photograph(home)).toEqual(before);
    expect(plan.verdict).toBe("ready");
    expect(plan.findings.filter(({ state }) => state !== "ok")).toEqual([]);
    expect(said(plan, "state.db")[0]!.message).toContain(`4 sessions, ${messages.length} messages`);
    expect(new Set(plan.changes.map(({ what }) => what))).toEqual(
      new Set(["database", "chats", "people", "permissions"]),
    );

    const { verdict, adopted } = await adopt(home, "--yes");
    expect({ verdict, ...adopted }).toMatchObject({ verdict: "ready", chats: 1, people: 1, problems: [] });
    expect(inspectMessages(home)).toEqual(messages);
    expect(rows(home, "SELECT session_key, session_id FROM gw_routes")).toEqual([
      { session_key: "agent:main:telegram:dm:42", session_id: "s3" },
    ]);
    const { approved } = await hermesJson<{ approved: object[] }>(home, "pairing", "list");
    expect(approved).toMatchObject([{ platform: "telegram", userId: "42" }]);
    expect(readVersion(path.join(home, "state.db"))).toBeGreaterThanOrEqual(11);
    for (const name of [".", ".env", "config.yaml", "state.db", "sessions/sessions.json"])
      expect(fs.statSync(path.join(home, name)).mode & 0o077, name).toBe(0);

    const after = photograph(home);
    const again = await adopt(home, "--yes");
    expect(again).toMatchObject({ verdict: "nothing to do", changes: [] });
    expect(photograph(home)).toEqual(after);
  });
});

/** Text and order of all messages, for any version. */
function inspectMessages(home: string): unknown[] {
  const copy = path.join(home, "..", "copy.db");
  for (const suffix of ["", "-wal"]) {
    fs.rmSync(copy + suffix, { force: true });
    if (fs.existsSync(path.join(home, `state.db${suffix}`)))
      fs.copyFileSync(path.join(home, `state.db${suffix}`), copy + suffix);
  }
  return readRows(copy, "messages", ["id", "session_id", "role", "content", "timestamp"]);
}

describe("what is kept", () => {
  it("is a copy of an older file, and of sessions.json with what can't be read in it", async () => {
    const home = agentHome((file) => makeOldFile(file, 5, sampleHistory()));
    const index = JSON.stringify({ ...ANN, broken: 7 });
    put(home, "sessions/sessions.json", index);
    const { adopted } = await adopt(home, "--yes");
    const [database, chats] = adopted!.kept;
    expect(readVersion(database!)).toBe(5);
    expect(fs.readFileSync(chats!, "utf8")).toBe(index);
    for (const file of adopted!.kept) expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(adopted!.problems).toEqual(["broken: is not an object"]);
  });
});

describe("hermes adopt reports", () => {
  it("chats that lose their session, unknown platforms, keys, transcripts and slips", async () => {
    const home = agentHome((file) => makeInlineFile(file, sampleHistory()));
    const entries = {
      ...ANN,
      ...chat("agent:main:icq:dm:9", "gone", { platform: "icq", chat_type: "dm", chat_id: "9" }),
      ...chat("agent:main:discord:group:5", "s4", {
        ...{ platform: "discord", chat_type: "group", chat_id: "5", user_id: "6" },
      }),
      broken: { session_id: "s1" },
    };
    put(home, "sessions/sessions.json", JSON.stringify(entries));
    for (const id of ["s3", "forgotten"]) put(home, `sessions/${id}.jsonl`, "{}\n");
    put(home, ".env", "TELEGRAM_BOT_TOKEN=1:x\nTELEGRAM_ALOWED_USERS=42\nFAL_KEY=9\n");
    put(home, "gateway.json", '{"reset_by_type": {"dm": {"mode": "none"}}}');
    put(home, "pairing/slack-approved.json", "{");
    const plan = await adopt(home, "--check");
    const warned = said(plan, "sessions.json", "warn").map(({ message }) => message);
    expect(warned).toEqual([
      "left out:\nbroken: origin is missing or invalid",
      "sessions that state.db doesn't have:\nagent:main:icq:dm:9: gone",
      "1 chat on platforms that the gateway doesn't support: icq",
      "session keys that change:\nagent:main:discord:group:5: is agent:main:discord:group:5:6 now",
    ]);
    expect(said(plan, "transcripts", "warn")[0]!.message).toMatch(/:\nforgotten$/);
    expect(said(plan, ".env")).toMatchObject([
      { state: "ok", message: "TELEGRAM_BOT_TOKEN in use, 2 not the gateway's" },
      { state: "warn", fix: expect.stringContaining("TELEGRAM_ALLOWED_USERS") },
    ]);
    expect(said(plan, "gateway.json")).toMatchObject([{ state: "warn" }]);
    expect(said(plan, "config.yaml")[0]!.message).toBe(
      "1 key in use; Hermes Agent's own: _config_version, tts",
    );
    expect(said(plan, "pairing")).toMatchObject([
      { message: "may talk from now on:\ntelegram:42 (Ann)" },
      { state: "warn", message: expect.stringContaining("pairing/slack-approved.json: can't be read") },
    ]);
    expect(plan.verdict).toBe("ready");
  });

  it("a sessions.json that can't be read, which is kept aside", async () => {
    const home = agentHome((file) => makeInlineFile(file, sampleHistory()));
    put(home, "sessions/sessions.json", '{"torn');
    expect(said(await adopt(home, "--check"), "sessions.json")).toMatchObject([{ state: "warn" }]);
    const { adopted } = await adopt(home, "--yes");
    expect(adopted).toMatchObject({ chats: 0, problems: [expect.stringContaining("kept as")] });
    const [aside] = fs.readdirSync(path.join(home, "sessions")).filter((name) => name.includes("corrupt"));
    expect(fs.readFileSync(path.join(home, "sessions", aside!), "utf8")).toBe('{"torn');
  });
});

describe("a home that can't be adopted yet", () => {
  const CASES: [string, (home: string) => void, check: string, words: string][] = [
    [
      "settings that make no sense",
      (home) => put(home, "config.yaml", "timezon: UTC\n"),
      "config.yaml",
      "timezone",
    ],
    ["a database of another program", otherProgram, "state.db", "another program"],
    [
      "no database at all under its name",
      (home) => put(home, "state.db", "x".repeat(5000)),
      "state.db",
      "not an SQLite",
    ],
    ["a database that was cut off", cutOff, "state.db", "truncated"],
  ];

  it.each(CASES)("isn't changed because of %s, even with --yes", async (_, spoil, check, words) => {
    const home = agentHome((file) => makeOldFile(file, 8, sampleHistory()));
    spoil(home);
    const before = photograph(home);
    for (const options of [["--check"], ["--yes"]]) {
      const { code, report } = await ended(home, ...options);
      expect({ code, verdict: report.verdict }).toEqual({ code: 1, verdict: "blocked" });
      expect(said(report, check, "fail")[0]!.message).toContain(words);
    }
    expect(photograph(home)).toEqual(before);
  });

  function otherProgram(home: string): void {
    fs.rmSync(path.join(home, "state.db"));
    const db = new Database(path.join(home, "state.db"));
    db.exec("CREATE TABLE recipes (name TEXT)");
    db.close();
  }

  function cutOff(home: string): void {
    const file = path.join(home, "state.db");
    fs.truncateSync(file, fs.statSync(file).size - 5000);
  }

  it("fails without a terminal to ask on", async () => {
    const home = agentHome((file) => makeOldFile(file, 8, sampleHistory()));
    const before = photograph(home);
    const { code, stderr } = await runHermes(home, ["adopt"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("--yes") });
    expect(photograph(home)).toEqual(before);
  });

  it("fails if there is no home", async () => {
    const { code, stderr } = await runHermes(path.join(agentHome(), "nowhere"), ["adopt", "--check"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("There is no home") });
  });
});

describe("another process that has the file open", () => {
  const HOLD = `
    import { Database } from "./dist/store/sqlite/driver.js";
    const db = new Database(process.argv[1]);
    db.prepare("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s3', 'user', 'mine', 5)").run();
    console.log("open");
    process.stdin.resume();`;

  async function hold(home: string): Promise<Process> {
    const holder = new Process(
      process.execPath,
      ["--input-type=module", "-e", HOLD, path.join(home, "state.db")],
      { cwd: ROOT },
    );
    await holder.line("open");
    return holder;
  }

  it("blocks a migration and is named", async () => {
    const home = agentHome((file) => makeOldFile(file, 8, sampleHistory()));
    const holder = await hold(home);
    const before = photograph(home);
    const { code, report } = await ended(home, "--yes");
    expect({ code, verdict: report.verdict }).toEqual({ code: 1, verdict: "blocked" });
    expect(said(report, "state.db", "fail")[0]!.message).toContain(`(pid ${holder.child.pid})`);
    // What it has written into its WAL is seen.
    expect(said(report, "state.db")[0]!.message).toContain("10 messages");
    expect({ ...photograph(home), "state.db-shm": "" }).toEqual({ ...before, "state.db-shm": "" });
    await holder.end();
    expect(await adopt(home, "--check")).toMatchObject({ verdict: "ready" });
  });

  it("may continue if no migration is needed", async () => {
    const home = agentHome((file) => makeInlineFile(file, sampleHistory()));
    await hold(home);
    const { verdict, adopted } = await adopt(home, "--yes");
    expect({ verdict, chats: adopted?.chats }).toEqual({ verdict: "ready", chats: 1 });
  });
});

describe("people", () => {
  it("who were revoked stay revoked, unless Hermes Agent approved them again", async () => {
    const home = agentHome((file) => makeInlineFile(file, sampleHistory()));
    await adopt(home, "--yes");
    await hermesJson(home, "pairing", "revoke", "telegram", "42");
    expect(await adopt(home, "--yes")).toMatchObject({ verdict: "nothing to do" });
    put(home, "platforms/pairing/telegram-approved.json", '{"42": {"approved_at": 2}}', 0o600);
    expect((await adopt(home, "--yes")).adopted).toMatchObject({ people: 1 });
  });
});

describe("a terminal that was there first", () => {
  it("doesn't hide the chats of sessions.json", async () => {
    const home = agentHome((file) => makeInlineFile(file, sampleHistory()));
    await storeIn(home, async (store) => {
      await store.switchRoute({
        ...{ sessionKey: "agent:main:cli:dm:t", origin: { platform: "cli", chatType: "dm", chatId: "t" } },
        ...{ tuple: "t", session: { id: "mine", source: "cli" }, expectedSessionId: null },
        ...{ endReason: "session_reset", at: 1 },
      });
    });
    expect((await adopt(home, "--yes")).adopted).toMatchObject({ chats: 1 });
    expect(
      inspect(path.join(home, "state.db"), (db) =>
        db.prepare("SELECT count(*) FROM gw_routes").pluck().get(),
      ),
    ).toBe(2);
  });
});
