import { describe, expect, it, onTestFinished } from "vitest";
import { runHermes } from "../cli/support/run.js";
import { DiscordEmulator } from "../emulators/discord/index.js";
import { SlackEmulator } from "../emulators/slack/index.js";
import { TelegramEmulator } from "../emulators/telegram/index.js";
import { Daemon } from "../support/daemon.js";
import { until } from "../support/until.js";

/** A platform in trouble says so in one line, with the fix; the others go on. */

interface Status {
  running: boolean;
  platforms: { platform: string; account: string; state: string; detail?: string }[];
}

async function statusOf(daemon: Daemon, platform: string, account?: string) {
  const { stdout } = await runHermes(daemon.home, ["gateway", "status", "--json"]);
  const { platforms } = JSON.parse(stdout) as Status;
  return platforms.find((one) => one.platform === platform && (!account || one.account === account));
}

/** Asks again until the line is there: each look is a process of its own. */
function told(daemon: Daemon, platform: string, detail: RegExp) {
  return until(
    `${platform} says ${detail}`,
    async () => {
      const status = await statusOf(daemon, platform);
      return detail.test(status?.detail ?? "") && status;
    },
    { timeoutMs: 25_000, found: () => statusOf(daemon, platform) },
  );
}

function errorLines(daemon: Daemon): Record<string, unknown>[] {
  return daemon.run.stderr
    .split("\n")
    .filter((line) => line.includes('"level":"error"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("a platform in trouble", () => {
  it("appears in the status and the log, while other platforms keep answering", async () => {
    const telegram = await new TelegramEmulator().start();
    const discord = new DiscordEmulator();
    await discord.start();
    const slack = await new SlackEmulator().start();
    slack.room("D1", "im", ["U1"]);
    onTestFinished(async () => {
      await Promise.all([telegram.close(), discord.close(), slack.close()]);
    });
    discord.allowIntents(0x7fff_ffff & ~(1 << 15));
    const daemon = await new Daemon({
      yaml: JSON.stringify({
        allow_all: true,
        streaming: { enabled: false },
        platforms: {
          telegram: {
            token: telegram.token,
            api_root: telegram.url,
            accounts: { broken: { token: "not-a-token" } },
          },
          discord: { token: discord.token, api_url: discord.apiUrl },
          slack: { token: slack.botToken, app_token: slack.appToken, api_url: slack.apiUrl },
        },
      }),
    }).start();

    expect(await told(daemon, "discord", /Message Content Intent.*discord\.com\/developers/)).toMatchObject({
      state: "down",
    });
    expect(await statusOf(daemon, "telegram", "broken")).toMatchObject({
      state: "down",
      detail: expect.stringMatching(/not a Telegram bot token.*@BotFather/),
    });
    expect(await statusOf(daemon, "telegram", "4200")).toMatchObject({ state: "ok" });
    const errors = errorLines(daemon);
    expect(errors.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining([
        expect.stringContaining("Message Content Intent"),
        expect.stringContaining("not a Telegram bot token"),
      ]),
    );
    expect(errors).toHaveLength(2);
    expect(errors.filter((line) => "err" in line)).toEqual([]);

    slack.say({ channel: "D1", user: "U1", text: "hello" });
    await slack.until(() => slack.workspace.all("D1").some(({ user }) => user !== "U1"), 20_000);

    const rival = setInterval(() => {
      const poll = fetch(`${telegram.url}/bot${telegram.token}/getUpdates`, { method: "POST" });
      poll.then((answer) => answer.arrayBuffer()).catch(() => undefined);
    }, 20);
    onTestFinished(() => clearInterval(rival));
    await told(daemon, "telegram", /Another program polls.*stop it/);
    const doctor = await runHermes(daemon.home, ["doctor", "--offline"]);
    expect(doctor.stdout).toMatch(
      /(warn|fail) {2}gateway: telegram 4200 is (degraded|down): Another program/,
    );
    expect(doctor.stdout).toMatch(/fail {2}gateway: discord \d+ is down: .*Message Content/);
    expect(doctor.code).toBe(1);
    clearInterval(rival);

    slack.scopes.delete("chat:write");
    slack.say({ channel: "D1", user: "U1", text: "and now?" });
    await told(daemon, "slack", /lacks the scope chat:write.*OAuth & Permissions/);
    const shown = await runHermes(daemon.home, ["gateway", "status"]);
    expect(shown.stdout).toMatch(/ {2}degraded +slack +The Slack app lacks the scope chat:write/);
    expect(shown.stdout).toMatch(/ {2}ok +web/);
    expect(await daemon.stop()).toBe(0);
    expect((await runHermes(daemon.home, ["gateway", "status"])).code).toBe(1);
  }, 120_000);
});
