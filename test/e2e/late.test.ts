import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { runHermes } from "../cli/support/run.js";
import { Daemon } from "../support/daemon.js";
import { platformsYaml, startPlatforms } from "../support/platforms.js";
import { until } from "../support/until.js";

const HOUR_MS = 3_600_000;
const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** As if the daemon had been away for days: the places up to which it has heard everything. */
function awayFor(daemon: Daemon, ms: number): void {
  const at = Date.now() - ms;
  const db = new Database(daemon.file("state.db"));
  const set = db.prepare("UPDATE gw_cursors SET value = ? WHERE platform = ? AND name = 'seen'");
  set.run(String(BigInt(at - DISCORD_EPOCH_MS) << 22n), "discord");
  set.run(`${Math.floor(at / 1000)}.000000`, "slack");
  db.prepare("DELETE FROM gw_cursors WHERE name LIKE 'channel:%'").run();
  db.close();
}

describe("after a long outage", () => {
  it("late messages are answered as late, and those of days ago are reported, on every platform", async () => {
    const platforms = await startPlatforms();
    const { telegram, discord, slack } = platforms;
    const daemon = await new Daemon({ yaml: platformsYaml(platforms) }).start();
    const ann = telegram.users.person("Ann");
    const chat = telegram.chats.privateWith(ann);
    const bob = discord.user("Bob");
    const dm = discord.dm(bob);
    const said = () => ({
      telegram: telegram.said(chat.id).map(({ text }) => text),
      discord: discord.said(dm).map(({ text }) => text),
      slack: slack.workspace.all("D1").flatMap(({ user, text }) => (user === "U1" ? [] : [text])),
    });
    const all = (words: RegExp) =>
      Object.values(said()).every((texts) => texts.some((text) => words.test(text)));
    telegram.users.write(chat, { from: ann, text: "hello" });
    discord.say(bob, dm, "hello");
    slack.say({ channel: "D1", user: "U1", text: "hello" });
    await until("everybody is known", () => all(/hello/), { found: said });
    await daemon.kill();

    awayFor(daemon, 72 * HOUR_MS);
    discord.gateway.forgetSessions();
    for (const [text, ms] of [
      ["of the day before yesterday", 48 * HOUR_MS],
      ["of this morning", 3 * HOUR_MS],
    ] as const) {
      const at = Date.now() - ms;
      telegram.users.write(chat, { from: ann, text, date: Math.floor(at / 1000) });
      discord.say(bob, dm, text, { sentAtMs: at });
      slack.say({ channel: "D1", user: "U1", text, silently: true, atMs: at });
    }
    await daemon.start();
    await until("what is late is answered", () => all(/Late: this was written 3 h.*\n.*this morning/), {
      found: said,
      timeoutMs: 20_000,
    });
    expect(Object.values(said()).flat().join("\n")).not.toContain("day before yesterday");
    const db = new Database(daemon.file("state.db"), { readonly: true });
    const refused = db.prepare(
      "SELECT platform, id FROM gw_inbox WHERE reason = 'too_old' ORDER BY platform",
    );
    const rows = refused.all() as { platform: string; id: number }[];
    db.close();
    expect(rows.map(({ platform }) => platform)).toEqual(["discord", "slack", "telegram"]);
    const { stdout } = await runHermes(daemon.home, ["trace", `in:${rows[0]!.id}`]);
    expect(stdout).toMatch(/refused: too_old/);
    const line = "skipped messages that are too old to answer";
    await until("the log counts them", () => daemon.run.logged(line).length === 3);
  });
});
