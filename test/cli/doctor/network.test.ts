import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DiscordEmulator } from "../../emulators/discord/index.js";
import { ModelServer, refuses } from "../../emulators/model-server.js";
import { SlackEmulator } from "../../emulators/slack/index.js";
import { TelegramEmulator } from "../../emulators/telegram/index.js";
import { Daemon } from "../../support/daemon.js";
import { until } from "../../support/until.js";
import { runHermes, temporaryFolder } from "../support/run.js";

/** `hermes doctor` with real SDKs on emulated platforms that are in the state to be found. */

let telegram: TelegramEmulator;
let discord: DiscordEmulator;
let slack: SlackEmulator;
let model: ModelServer;

beforeEach(async () => {
  telegram = await new TelegramEmulator().start();
  discord = new DiscordEmulator();
  await discord.start();
  discord.guild("Home");
  slack = await new SlackEmulator().start();
  model = await ModelServer.start();
});

afterEach(() => Promise.all([telegram.close(), discord.close(), slack.close(), model.close()]));

interface Settings {
  telegram?: Record<string, unknown>;
  discord?: Record<string, unknown>;
  slack?: Record<string, unknown>;
}

/** JSON is YAML. */
function configFor(settings: Settings = {}): string {
  return JSON.stringify({
    allow_all: true,
    model: { provider: "openai-compatible", base_url: model.url, default: "m1", api_key: "sk-secret-key" },
    platforms: {
      telegram: { token: telegram.token, api_root: telegram.url, ...settings.telegram },
      discord: { token: discord.token, api_url: discord.apiUrl, ...settings.discord },
      slack: {
        token: slack.botToken,
        app_token: slack.appToken,
        api_url: slack.apiUrl,
        ...settings.slack,
      },
    },
  });
}

interface Finding {
  check: string;
  state: string;
  message: string;
  fix?: string;
  page?: string;
}

async function examine(home: string, ...options: string[]) {
  const { code, stdout, stderr } = await runHermes(home, ["doctor", "--json", ...options]);
  expect(stderr).toBe("");
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  const of = (check: string, state?: string) =>
    findings.filter((finding) => finding.check === check && (state === undefined || finding.state === state));
  return { code, stdout, of };
}

function homeWith(config: string): string {
  const home = temporaryFolder();
  writeFileSync(join(home, "config.yaml"), config, { mode: 0o600 });
  return home;
}

describe("hermes doctor and the platforms", { timeout: 90_000 }, () => {
  it("reports the bots' names and no faults if all is well", async () => {
    const { code, of } = await examine(homeWith(configFor()));
    expect(of("telegram")).toMatchObject([{ state: "ok", message: "is @hermes_bot (id 4200)" }]);
    expect(of("discord")).toMatchObject([
      { state: "ok", message: expect.stringMatching(/^is hermes \(id \d+\)$/) },
      { state: "ok", message: "has the Message Content Intent" },
    ]);
    expect(of("slack")).toMatchObject([
      { state: "ok", message: "is hermes in Emulated (id U0BOT)" },
      { state: "ok", message: "has all scopes" },
      { state: "ok", message: "may open sockets (Socket Mode)" },
    ]);
    expect(of("model")).toMatchObject([{ state: "ok", message: expect.stringMatching(/^m1 .* answers \(/) }]);
    expect(of("clock")[0]!.message).toMatch(/^agrees with 127\.0\.0\.1/);
    expect(code).toBe(0);
    expect(telegram.callsOf("getUpdates")).toEqual([]);
    expect(discord.connectAttempts).toBe(0);
    expect(slack.sockets.count).toBe(0);
  });

  it("reports wrong tokens and keys, each with the fix and the page", async () => {
    model.script(refuses(401, "Incorrect API key provided: sk-secret-key"));
    const wrong = { telegram: "4200:wrong-one", discord: `${discord.token}z`, slack: "xoxb-wrong-one" };
    const home = homeWith(
      configFor({
        telegram: { token: wrong.telegram, accounts: { sales: { token: telegram.token } } },
        discord: { token: wrong.discord },
        slack: { token: wrong.slack, app_token: "xapp-wrong" },
      }),
    );
    const { code, stdout, of } = await examine(home);
    expect(of("telegram")).toMatchObject([
      {
        state: "fail",
        message: "Telegram refuses the bot's token",
        fix: expect.stringContaining("@BotFather"),
        page: "https://t.me/BotFather",
      },
    ]);
    expect(of("telegram.sales")).toMatchObject([{ state: "ok" }]);
    expect(of("discord")).toMatchObject([
      {
        state: "fail",
        fix: expect.stringContaining("Reset Token"),
        page: "https://discord.com/developers/applications",
      },
    ]);
    expect(of("slack")).toMatchObject([
      {
        state: "fail",
        message: expect.stringMatching(/^token: .*OAuth & Permissions/),
        page: "https://api.slack.com/apps",
      },
      { state: "fail", message: expect.stringMatching(/^app_token: /) },
    ]);
    expect(of("model")).toMatchObject([
      {
        state: "fail",
        message: expect.stringContaining("the key was rejected"),
        fix: expect.stringContaining("HERMES_MODEL_API_KEY"),
      },
    ]);
    expect(code).toBe(1);
    for (const secret of [...Object.values(wrong), "sk-secret-key", "xapp-wrong"])
      expect(stdout).not.toContain(secret);
  });

  it("reports a missing intent, missing scopes and a webhook without a secret", async () => {
    discord.allowIntents(0x7fff_ffff & ~(1 << 15));
    slack.scopes.delete("chat:write");
    slack.scopes.delete("files:read");
    slack.scopes.delete("connections:write");
    const home = homeWith(configFor({ telegram: { webhook: { url: "https://me.example" } } }));
    const { code, of } = await examine(home);
    expect(of("discord", "fail")).toMatchObject([
      {
        message: expect.stringContaining("Message Content Intent is off"),
        page: expect.stringMatching(/^https:\/\/discord\.com\/developers\/applications\/\d+\/bot$/),
      },
    ]);
    expect(of("slack", "fail")).toMatchObject([
      { message: "lacks the scope chat:write (to answer)", fix: expect.stringContaining("reinstall") },
      { message: expect.stringContaining("connections:write") },
    ]);
    expect(of("slack", "warn")).toMatchObject([{ message: "lacks the scope files:read (to get files)" }]);
    expect(of("telegram", "fail")).toMatchObject([
      { message: "A Telegram webhook needs a secret", fix: expect.stringContaining("openssl rand") },
    ]);
    expect(code).toBe(1);
  });

  it("reports privacy mode, a webhook that is set, few connects, no way to receive", async () => {
    telegram.world.privacyMode = true;
    telegram.world.webhook.target = { url: "https://other.example/hook", secret: undefined };
    discord.leaveIdentifies(50);
    const home = homeWith(configFor({ slack: { app_token: null } }));
    const { code, of } = await examine(home);
    expect(of("telegram", "warn").map(({ message }) => message)).toEqual([
      expect.stringContaining("privacy mode is on"),
      "uses polling, but Telegram has a webhook at other.example",
    ]);
    expect(of("discord", "warn")).toMatchObject([{ message: expect.stringMatching(/^50 of 1000 connects/) }]);
    expect(of("slack", "fail")).toMatchObject([
      {
        message: expect.stringContaining("neither an app token"),
        fix: expect.stringContaining("SLACK_SIGNING_SECRET"),
      },
    ]);
    expect(code).toBe(1);
  });

  it("reports unreachable platforms, and makes no calls with --offline", async () => {
    const home = homeWith(configFor());
    await Promise.all([telegram.goDown(), discord.close(), slack.close(), model.close()]);
    const { code, of } = await examine(home);
    for (const check of ["telegram", "discord", "slack", "model"])
      expect(of(check)[0]).toMatchObject({
        state: "fail",
        message: expect.stringContaining("can't be reached"),
      });
    expect(code).toBe(1);
    const offline = await examine(home, "--offline");
    expect(offline.of("network")).toMatchObject([{ state: "ok", message: "skipped (--offline)" }]);
    expect(offline.of("telegram")).toEqual([]);
    expect(offline.code).toBe(0);
    await Promise.all([telegram.start(), slack.start()]);
    model = await ModelServer.start();
  });
});

describe("hermes doctor beside a gateway that runs", { timeout: 90_000 }, () => {
  it("doesn't disturb its polls and sockets, and reaches it at its webhook's address", async () => {
    const daemon = await new Daemon({ yaml: configFor() }).start();
    await until("it polls", () => telegram.updates.isPolled);
    await until("its socket is open", () => slack.sockets.count === 1);
    const polling = await examine(daemon.home);
    expect(polling.of("gateway")[0]!.message).toMatch(/^running at http/);
    expect(polling.of("telegram", "ok")).toHaveLength(1);
    expect(polling.code).toBe(0);
    expect(telegram.callsOf("getUpdates").filter(({ code }) => code === 409)).toEqual([]);
    expect(telegram.updates.isPolled).toBe(true);
    expect(slack.callsOf("apps.connections.open")).toHaveLength(1);
    await daemon.stop();

    const webhook = { secret: "s3cret", url: daemon.url };
    writeFileSync(daemon.file("config.yaml"), configFor({ telegram: { webhook } }));
    await daemon.start();
    const called = await examine(daemon.home);
    expect(called.of("telegram").map(({ message }) => message)).toEqual([
      "is @hermes_bot (id 4200)",
      "the webhook is set",
      `the gateway answers at ${daemon.url}/telegram/webhook`,
    ]);
  });
});
