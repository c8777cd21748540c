import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ScheduleRow } from "../../src/store/schedules.js";
import { runHermes } from "../cli/support/run.js";
import { TelegramEmulator } from "../emulators/telegram/index.js";
import { Daemon } from "../support/daemon.js";
import { until } from "../support/until.js";

/** Schedules in the real daemon, with answers on the emulated Telegram: once per tick, also across crashes. */

async function someTelegram() {
  const telegram = await new TelegramEmulator().start();
  onTestFinished(() => telegram.close());
  const ann = telegram.users.person("Ann");
  const chat = telegram.chats.privateWith(ann);
  const said = () => telegram.said(chat.id).map(({ text }) => text);
  const daemon = new Daemon({
    yaml: `
owners: ["telegram:${ann.id}"]
allow_all: true
streaming: {enabled: false}
platforms:
  telegram: {token: "${telegram.token}", api_root: "${telegram.url}", home_channel: ${chat.id}}
`,
  });
  return { telegram, ann, chat, said, daemon };
}

async function cron(home: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runHermes(home, ["cron", ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

const list = async (home: string) => JSON.parse(await cron(home, "list", "--all", "--json")) as ScheduleRow[];

/** Read beside the daemon: asking the command again and again would cost a process each time. */
function read<T>(daemon: Daemon, query: string): T[] {
  const db = new Database(daemon.file("state.db"), { readonly: true, timeout: 5000 });
  try {
    return db.prepare(query).all() as T[];
  } finally {
    db.close();
  }
}

/** As if the schedules' time had come so many seconds ago. */
function makeDue(daemon: Daemon, secondsAgo: number): void {
  const db = new Database(daemon.file("state.db"), { timeout: 5000 });
  const at = Math.floor(Date.now() / 1000) - secondsAgo;
  db.prepare("UPDATE gw_schedules SET next_at = ?, rule = json_set(rule, '$.from', ?)").run(at, at);
  db.close();
}

describe("a schedule", () => {
  it("runs once per tick, even if the daemon is killed at every step", async () => {
    const { said, daemon } = await someTelegram();
    await cron(daemon.home, "add", "in 1s", "!slow 1 rise and shine", "--to", "home", "--name", "alarm");
    // The tick is in the inbox; its turn has begun; its answer is stored; the send begins: each time the daemon dies.
    for (const point of ["accepted", "turn-started", "turn-committed", "before-send"]) {
      expect(await daemon.launch({ HERMES_KILL_AT: point }).ended).toMatchObject({ signal: "SIGKILL" });
      expect(said()).toEqual([]);
    }
    await daemon.start();
    await until("it is said", () => said().length > 0);
    await until(
      "it is known to be said",
      () => read(daemon, "SELECT 1 FROM gw_outbox WHERE state = 'sent'")[0],
    );
    expect(said()).toEqual([expect.stringMatching(/Cronjob Response: alarm[\s\S]*rise and shine/)]);
    expect(await list(daemon.home)).toMatchObject([
      { state: "done", lastRun: { state: "done", manual: false } },
    ]);
    expect(read(daemon, "SELECT event_id FROM gw_inbox WHERE platform = 'cron'")).toHaveLength(1);
    expect(read(daemon, "SELECT source, end_reason FROM sessions")).toEqual([
      { source: "cron", end_reason: "cron_complete" },
    ]);
  }, 60_000);

  it("that was missed while the daemon was down runs once, or is skipped", async () => {
    const { said, daemon } = await someTelegram();
    await cron(daemon.home, "add", "every 2m", "make up", "--to", "home", "--name", "made-up");
    await cron(
      daemon.home,
      "add",
      "every 30m",
      "skip",
      "--to",
      "home",
      "--name",
      "skipped",
      "--missed",
      "skip",
    );
    makeDue(daemon, 10 * 60 + 90);
    await daemon.start();
    await until("both are decided", () => read(daemon, "SELECT 1 FROM gw_schedule_runs").length === 2);
    await until("the one is said", () => said().length > 0);
    expect(said()).toEqual([expect.stringMatching(/made-up, due 20[\s\S]*make up/)]);
    const found = (await list(daemon.home)).map(({ name, lastRun }) => [
      name,
      lastRun?.state,
      lastRun?.reason,
    ]);
    expect(found).toEqual([
      ["made-up", "done", null],
      ["skipped", "skipped", "the gateway was not running"],
    ]);
  }, 60_000);

  it("answers in the chat that created it; an undeliverable one doesn't block others", async () => {
    const { telegram, ann, chat, said, daemon } = await someTelegram();
    await daemon.start();
    await cron(daemon.home, "add", "in 1s", "nobody hears this", "--to", "telegram:999999", "--name", "lost");
    telegram.users.write(chat, { from: ann, text: "/cron add in 1s say hello" });
    await until("it is added", () =>
      said().find((text) => text.includes("say hello") && text.startsWith("⏰")),
    );
    await until("it is said", () => said().find((text) => /Cronjob Response: say hello/.test(text)));
    await until(
      "the other one is given up",
      () => read(daemon, "SELECT 1 FROM gw_outbox WHERE state = 'dead'")[0],
    );
    expect(await cron(daemon.home, "list", "--all")).toContain("not delivered");
  }, 60_000);
});
