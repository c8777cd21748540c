import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { chatIdOf, newSecret } from "../../src/adapters/web/ids.js";
import { finished, runHermes, spawnHermes } from "../cli/support/run.js";
import { expectFilesAgree, expectNothingOpen, rows } from "../support/agreement.js";
import { Daemon } from "../support/daemon.js";
import { makeInlineFile, makeNewerFile } from "../support/old-schemas.js";
import { tempDir } from "../support/temp.js";
import { until } from "../support/until.js";
import { WebClient } from "../support/web-client.js";

const SLOW_MS = 60_000;

const inboxRow = (home: string, eventId: string) =>
  rows<{ id: number; state: string; attempts: number; error: string | null }>(
    home,
    "SELECT id, state, attempts, error FROM gw_inbox WHERE event_id = ?",
    eventId,
  )[0];

describe("hermes gateway status", () => {
  it("distinguishes a crash from a clean exit", async () => {
    const daemon = await new Daemon().start();
    const { home, pid } = daemon;
    await daemon.kill();
    const crashed = await runHermes(home, ["gateway", "status"]);
    expect(crashed).toMatchObject({ code: 1 });
    expect(crashed.stdout).toMatch(
      new RegExp(`^No gateway is running on .*\\.\nThe last one \\(pid ${pid}, since .*\\) crashed`),
    );
    await daemon.start();
    await daemon.stop();
    expect((await runHermes(home, ["gateway", "status"])).stdout).toMatch(
      /^No gateway is running on .*\.\n$/,
    );
  });
});

describe("a second gateway", () => {
  it("is refused on the same home, with the pid and start time of the first", async () => {
    const daemon = await new Daemon().start();
    const second = await finished(spawnHermes(daemon.home, ["gateway", "--port", "0"]));
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`pid ${daemon.pid}`);
    expect(second.stderr).toMatch(/since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
    const client = new WebClient(daemon.url);
    await client.send("still there?");
    expect(await client.told("answer")).toEqual(["still there?"]);
  });

  it("starts after a crash: the lock dies with its holder", async () => {
    const daemon = await new Daemon().start();
    await daemon.restart();
    expect(await daemon.stop()).toBe(0);
  });
});

describe("a public address", () => {
  it("is refused without a token", async () => {
    const args = ["gateway", "--port", "0", "--host", "0.0.0.0"];
    const refused = await finished(spawnHermes(path.join(tempDir(), "home"), args));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("token");
    expect(refused.stdout).not.toContain("running");
  });

  it("ends the process with an error if it is in use", async () => {
    const daemon = await new Daemon().start();
    const args = ["gateway", "--port", new URL(daemon.url).port];
    expect(await finished(spawnHermes(path.join(tempDir(), "home"), args))).toMatchObject({ code: 1 });
  });
});

describe("SIGTERM in the middle of a turn", () => {
  it("interrupts the turn; the message is answered once after the next start, as a first attempt", async () => {
    const daemon = await new Daemon({ yaml: "agent:\n  restart_drain_timeout: 0.5\n" }).start();
    const client = new WebClient(() => daemon.url);
    const events = await client.events();
    // Long enough for the first gateway to be cut off, short enough for the second.
    const id = await client.send("!slow 3000 worth the wait");
    await until("the turn runs", () => inboxRow(daemon.home, id)?.state === "running");
    await client.send("and this");
    expect(await daemon.stop()).toBe(0);
    await events.over();
    expect(inboxRow(daemon.home, id)).toMatchObject({ state: "waiting", attempts: 0 });
    await daemon.start();
    const answers = () => client.answers().catch(() => []);
    await until("all is answered", async () => (await answers()).join("\n").endsWith("and this"), {
      timeoutMs: 20_000,
    });
    expect((await answers()).join("\n")).toBe("worth the wait\nand this");
    expect(inboxRow(daemon.home, id)).toMatchObject({ state: "done", attempts: 1 });
    expect(await daemon.stop()).toBe(0);
    expectNothingOpen(daemon.home);
    expectFilesAgree(daemon.home);
  });

  it("lets a turn that is nearly done finish", async () => {
    const daemon = await new Daemon().start();
    const client = new WebClient(() => daemon.url);
    const id = await client.send("!slow 400 done");
    await until("the turn runs", () => inboxRow(daemon.home, id)?.state === "running");
    expect(await daemon.stop()).toBe(0);
    expect(inboxRow(daemon.home, id)).toMatchObject({ state: "done" });
    expect(rows(daemon.home, "SELECT state FROM gw_outbox")).toEqual([{ state: "sent" }]);
  });
});

describe("a message that kills the gateway repeatedly", () => {
  it("is given up with a notice after the third time, and can be retried", {
    timeout: SLOW_MS,
  }, async () => {
    const daemon = await new Daemon().start({ HERMES_KILL_AT: "turn-answered:1" });
    const client = new WebClient(() => daemon.url);
    const id = await client.send("poison");
    await daemon.run.ended;
    for (let crash = 2; crash <= 3; crash += 1)
      await daemon.launch({ HERMES_KILL_AT: "turn-answered:1" }).ended;
    expect(inboxRow(daemon.home, id)).toMatchObject({ state: "running", attempts: 3 });
    await daemon.start();
    expect((await client.told("notice"))[0]).toContain("gave up");
    expect(inboxRow(daemon.home, id)).toMatchObject({ state: "dead", attempts: 3 });

    // The chat was told, so no operator has to look at it.
    await until("the notice is settled", async () => {
      const { dead } = JSON.parse((await runHermes(daemon.home, ["doctor", "--json"])).stdout);
      return dead.length === 0;
    });
    await daemon.stop();
    const letter = `in:${inboxRow(daemon.home, id)!.id}`;
    expect(await runHermes(daemon.home, ["doctor", "--retry", letter])).toMatchObject({ code: 0 });
    await daemon.start();
    expect(await client.told("answer")).toEqual(["poison"]);
    await daemon.stop();
    expectNothingOpen(daemon.home);
    expectFilesAgree(daemon.home);
  });
});

describe("a start", () => {
  it("on a long history writes every chat into sessions.json", { timeout: SLOW_MS }, async () => {
    const daemon = await new Daemon().start();
    await daemon.stop();
    fill(daemon.file("state.db"), { sessions: 2000, messagesEach: 10 });
    await daemon.start();
    await daemon.stop();
    expect(Object.keys(readIndexFile(daemon.home))).toHaveLength(2000);
  });

  it("with a corrupt sessions.json keeps it aside and rewrites it", async () => {
    const daemon = await new Daemon().start();
    const client = new WebClient(() => daemon.url);
    await client.send("hello");
    await client.told("answer");
    await daemon.stop();
    const index = daemon.file("sessions", "sessions.json");
    const good = fs.readFileSync(index, "utf8");
    fs.writeFileSync(index, good.slice(0, good.length / 2));
    await daemon.start();
    expect(daemon.run.logged("sessions.json")[0]!.problem).toContain("kept as");
    await daemon.stop();
    const aside = fs.readdirSync(daemon.file("sessions")).filter((name) => name.includes(".corrupt-"));
    expect(aside).toHaveLength(1);
    expect(fs.readFileSync(daemon.file("sessions", aside[0]!), "utf8")).toBe(good.slice(0, good.length / 2));
    expect(fs.readFileSync(index, "utf8")).toBe(good);
    expect(fs.statSync(index).mode & 0o777).toBe(0o600);
  });

  it("without sessions.json writes it from the database", async () => {
    const daemon = await new Daemon().start();
    const client = new WebClient(() => daemon.url);
    await client.send("hello");
    await client.told("answer");
    await daemon.stop();
    const index = daemon.file("sessions", "sessions.json");
    const good = fs.readFileSync(index, "utf8");
    fs.rmSync(index);
    await daemon.start();
    await daemon.stop();
    expect(fs.readFileSync(index, "utf8")).toBe(good);
  });
});

describe("a home of another Hermes", () => {
  it.each([
    ["of our version", 11],
    ["of a newer one", 16],
  ])("%s is taken over: the chat goes on in its session", { timeout: SLOW_MS }, async (_, version) => {
    const home = path.join(tempDir(), "home");
    fs.mkdirSync(path.join(home, "sessions"), { recursive: true, mode: 0o700 });
    const secret = newSecret();
    const chatId = chatIdOf(secret);
    const now = Date.now() / 1000;
    const history = {
      sessions: [
        {
          id: "20260616_091523_2e8c7d42",
          source: "web",
          user_id: chatId,
          started_at: now - 60,
          title: "Rome",
        },
      ],
      messages: [
        { session_id: "20260616_091523_2e8c7d42", role: "user", content: "about Rome", timestamp: now - 50 },
        { session_id: "20260616_091523_2e8c7d42", role: "assistant", content: "Rome!", timestamp: now - 49 },
      ],
    };
    if (version === 11) makeInlineFile(path.join(home, "state.db"), history);
    else makeNewerFile(path.join(home, "state.db"), version, history);
    const key = `agent:main:web:dm:${chatId}`;
    fs.writeFileSync(
      path.join(home, "sessions", "sessions.json"),
      JSON.stringify(indexOf(key, chatId), null, 2),
    );

    const daemon = await new Daemon({ home, args: ["--adopt"] }).start();
    const client = new WebClient(() => daemon.url, { secret });
    await client.send("and now?");
    // Not the first answer of its session: the echo agent doesn't introduce itself.
    expect((await client.log()).length).toBeGreaterThan(0);
    await client.told("answer");
    expect((await client.log()).at(-1)!.text).toBe("and now?");
    expect(await client.session()).toEqual({ id: "20260616_091523_2e8c7d42", title: "Rome" });
    await daemon.stop();
    const said = rows<{ content: string }>(home, "SELECT content FROM messages ORDER BY id");
    expect(said.map(({ content }) => content)).toEqual(["about Rome", "Rome!", "and now?", "and now?"]);
    expect(rows(home, "SELECT version FROM schema_version")).toEqual([{ version }]);
    const entry = readIndexFile(home)[key]!;
    expect(entry).toMatchObject({ session_id: "20260616_091523_2e8c7d42", platform: "web", chat_type: "dm" });
  });
});

describe("looking", () => {
  it("doesn't count as activity", async () => {
    const daemon = await new Daemon().start();
    const client = new WebClient(() => daemon.url);
    await client.send("hello");
    await client.told("answer");
    const look = () => rows(daemon.home, "SELECT last_user_activity, updated_at, epoch FROM gw_routes");
    const before = look();
    for (const command of ["/status", "/usage", "/sessions", "/title", "/whoami"]) await client.send(command);
    await client.told("command", 5);
    expect(look()).toEqual(before);
  });
});

function readIndexFile(home: string): Record<string, Record<string, unknown>> {
  return JSON.parse(fs.readFileSync(path.join(home, "sessions", "sessions.json"), "utf8"));
}

/** As Hermes writes it. */
function indexOf(key: string, chatId: string): object {
  const now = new Date(Date.now() - 40_000);
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 23);
  return {
    [key]: {
      session_key: key,
      session_id: "20260616_091523_2e8c7d42",
      created_at: local,
      updated_at: local,
      display_name: null,
      platform: "web",
      chat_type: "dm",
      last_prompt_tokens: 12,
      suspended: false,
      origin: {
        platform: "web",
        chat_id: chatId,
        chat_name: null,
        chat_type: "dm",
        user_id: chatId,
        user_name: null,
      },
    },
  };
}

/** A history, written past the store: what counts is that it is there. */
function fill(file: string, { sessions, messagesEach }: { sessions: number; messagesEach: number }): void {
  const db = new Database(file);
  const session = db.prepare(
    "INSERT INTO sessions (id, source, user_id, started_at) VALUES (?, 'web', ?, ?)",
  );
  const message = db.prepare(
    "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)",
  );
  const route = db.prepare(
    `INSERT INTO gw_routes (session_key, session_id, origin, tuple, created_at, updated_at, last_user_activity)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const start = Date.now() / 1000 - sessions;
  db.transaction(() => {
    for (let s = 0; s < sessions; s += 1) {
      const at = start + s;
      const chatId = `chat${s}`;
      const origin = { platform: "web", chatType: "dm", chatId, userId: chatId };
      session.run(`s${s}`, chatId, at);
      for (let m = 0; m < messagesEach; m += 1)
        message.run(
          `s${s}`,
          m % 2 === 0 ? "user" : "assistant",
          `words of ${s} and ${m}: the walrus and the carpenter`,
          at + m / 100,
        );
      const tuple = JSON.stringify(["web", "dm", chatId, null, null]);
      route.run(`agent:main:web:dm:${chatId}`, `s${s}`, JSON.stringify(origin), tuple, at, at, at);
    }
  })();
  db.close();
}
