import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DiscordEmulator } from "../../emulators/discord/index.js";
import { ModelServer, refuses } from "../../emulators/model-server.js";
import { SlackEmulator } from "../../emulators/slack/index.js";
import { TelegramEmulator } from "../../emulators/telegram/index.js";
import { Daemon } from "../../support/daemon.js";
import { until } from "../../support/until.js";
import { runHermes, temporaryFolder } from "../support/run.js";
import { openScreen, type Screen } from "../support/terminal.js";

/** `hermes setup` in a real terminal, on emulated platforms and a model server. */

const ALL_INTENTS = 0x7fff_ffff;
const KEY = "sk-a-key-for-the-test";

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

function addresses(): string {
  return `# my gateway
streaming: {enabled: false}   # no previews

platforms:
  telegram:
    api_root: ${telegram.url}   # not the real one
  discord: {api_url: "${discord.apiUrl}"}
  slack:
    api_url: ${slack.apiUrl}
`;
}

function homeWith(config: string): string {
  const home = temporaryFolder();
  writeFileSync(join(home, "config.yaml"), config, { mode: 0o600 });
  return home;
}

/** A person at the terminal: waits for a question, then answers it. */
class Person {
  readonly #screen: Screen;

  constructor(home: string) {
    this.#screen = openScreen(home, ["setup"]);
  }

  sees(pattern: RegExp): Promise<string> {
    return this.#screen.until(pattern);
  }

  /** The question must be the open one: the last on the screen. */
  async answers(question: RegExp, ...keys: string[]): Promise<string> {
    const open = new RegExp(`◆ {2}[^◆◇]*${question.source}[^◆◇]*$`);
    const seen = await this.#screen.until(open);
    this.#screen.press(...keys);
    return seen;
  }

  async types(question: RegExp, text: string): Promise<void> {
    await this.answers(question);
    this.#screen.type(text);
    this.#screen.press("Enter");
  }

  /** Instead of what stands there. */
  async replaces(question: RegExp, text: string): Promise<void> {
    await this.answers(question, "C-u");
    this.#screen.type(text);
    this.#screen.press("Enter");
  }
}

async function namesModel(person: Person): Promise<void> {
  await person.answers(/Which model answers\?/, "Enter");
  await person.replaces(/Its address/, model.url);
  await person.types(/Its API key/, KEY);
  await person.types(/The model's name/, "m1");
}

describe("hermes setup", { timeout: 180_000 }, () => {
  it("sets up an empty home until the gateway answers", async () => {
    discord.allowIntents(ALL_INTENTS & ~(1 << 15));
    slack.scopes.delete("files:read");
    model.script(refuses(401, "no such key"));
    const home = homeWith(addresses());
    const person = new Person(home);
    await namesModel(person);
    await person.sees(/the key was rejected/);
    await person.answers(/What now\?/, "Up", "Enter");
    await person.sees(/m1 \(openai-compatible\) answers/);

    await person.answers(/On which chats\?/, "Space", "Down", "Space", "Down", "Space", "Enter");
    await person.sees(/https:\/\/t\.me\/BotFather and send \/newbot/);
    await person.types(/Bot token/, "4200:wrong");
    await person.sees(/Telegram refuses the bot's token/);
    await person.answers(/What now\?/, "Down", "Enter");
    await person.types(/Bot token/, telegram.token);
    await person.sees(/is @hermes_bot/);
    await person.answers(
      /Who may talk to it on Telegram\?[^◆◇]*hermes pairing approve telegram/,
      "Up",
      "Enter",
    );

    await person.types(/Bot token/, discord.token);
    await person.sees(/Message Content Intent is off[\s\S]*discord\.com\/developers\/applications\/\d+\/bot/);
    discord.allowIntents(ALL_INTENTS);
    await person.answers(/What now\?/, "Enter");
    await person.sees(/has the Message Content Intent/);
    await person.answers(/Who may talk to it on Discord\?/, "Enter");

    await person.types(/Bot User OAuth Token/, slack.botToken);
    await person.types(/App-level token/, slack.appToken);
    await person.sees(/lacks the scope files:read/);
    await person.answers(/Who may talk to it on Slack\?/, "Down", "Enter");
    await person.types(/Their ids/, "U1, U2");

    await person.answers(/When is a session reset/, "Enter");
    await person.replaces(/At which hour/, "5");
    await person.answers(/hours without a message/, "Enter");
    await person.replaces(/time zone/, "Europe/Berlin");
    const shown = await person.answers(/Write this\?/);
    expect(shown).toMatch(
      /\+ {5}allow_all: true[\s\S]*\+ timezone: Europe\/Berlin[\s\S]*\+ TELEGRAM_BOT_TOKEN=\*{4}/,
    );
    for (const secret of [KEY, telegram.token, discord.token, slack.botToken, slack.appToken])
      expect(shown).not.toContain(secret);
    expect(existsSync(join(home, ".env"))).toBe(false);
    await person.answers(/Write this\?/, "Enter");
    await person.sees(/Written[\s\S]*exit=0/);

    const written = readFileSync(join(home, "config.yaml"), "utf8");
    for (const line of addresses()
      .split("\n")
      .filter((line) => /#/.test(line)))
      expect(written).toContain(line);
    for (const secret of [KEY, telegram.token, slack.appToken]) expect(written).not.toContain(secret);
    expect(statSync(join(home, "config.yaml")).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, ".env")).mode & 0o777).toBe(0o600);

    await new Daemon({ home }).start();
    const ann = telegram.users.person("Ann");
    const chat = telegram.chats.privateWith(ann);
    telegram.users.write(chat, { from: ann, text: "hello there" });
    await until("the model's answer is there", () =>
      telegram.said(chat.id).find(({ text }) => /hello there/.test(text)),
    );
    expect(model.requests.at(-1)!.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it("offers the current values when run again, and writes nothing for them", async () => {
    const home = homeWith(
      `${addresses()}timezone: UTC\nmodel: {provider: openai-compatible, default: m1, base_url: "${model.url}"}\n`,
    );
    writeFileSync(join(home, ".env"), `# mine\nTELEGRAM_BOT_TOKEN=${telegram.token}\n`, { mode: 0o600 });
    const before = readFileSync(join(home, "config.yaml"), "utf8");
    const person = new Person(home);
    for (const question of [
      ...[/Which model answers\?/, /Its address/, /Its API key/, /The model's name/, /On which chats\?/],
      ...[/Bot token \(empty: keep the present one\)/, /Who may talk to it on Telegram\?/],
      ...[/When is a session reset/, /At which hour/, /hours without a message/, /time zone/],
    ])
      await person.answers(question, "Enter");
    await person.sees(/nothing to write[\s\S]*exit=0/);
    expect(readFileSync(join(home, "config.yaml"), "utf8")).toBe(before);
    expect(readFileSync(join(home, ".env"), "utf8")).toContain("# mine");
  });

  it("changes nothing after Ctrl-C or no", async () => {
    const home = homeWith(addresses());
    const person = new Person(home);
    await namesModel(person);
    await person.answers(/On which chats\?/, "C-c");
    await person.sees(/Cancelled: nothing was changed[\s\S]*exit=0/);
    const again = new Person(home);
    await again.answers(/Which model answers\?/, "Up", "Enter");
    await again.answers(/On which chats\?/, "Enter");
    await again.answers(/When is a session reset/, "Up", "Enter");
    await again.answers(/time zone/, "Enter");
    await again.answers(/Write this\?/, "n");
    await again.sees(/Cancelled: nothing was changed[\s\S]*exit=0/);
    expect(readFileSync(join(home, "config.yaml"), "utf8")).toBe(addresses());
    expect(existsSync(join(home, ".env"))).toBe(false);
  });
});

describe("hermes setup --non-interactive", { timeout: 90_000 }, () => {
  it("writes the given answers only after they work", async () => {
    const home = homeWith(addresses());
    const flags = ["--provider", "openai-compatible", "--base-url", model.url, "--model", "m1"];
    const wanted = [...flags, "--access", "telegram=everyone", "--timezone", "Europe/Berlin"];
    const run = (...args: string[]) => runHermes(home, ["setup", "--non-interactive", ...args]);

    const wrong = await run(...wanted, "--telegram-token", "4200:wrong");
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(
      /nothing was written[\s\S]*Telegram refuses the bot's token[\s\S]*--no-check/,
    );
    const dry = await run(...wanted, "--telegram-token", telegram.token, "--dry-run");
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("+ timezone: Europe/Berlin") });
    expect(readFileSync(join(home, "config.yaml"), "utf8")).toBe(addresses());

    const told = await run(...wanted, "--telegram-token", telegram.token, "--json");
    expect(JSON.parse(told.stdout)).toMatchObject({
      changes: [
        {
          file: "config.yaml",
          lines: expect.arrayContaining([{ sign: "+", text: "timezone: Europe/Berlin" }]),
        },
        { file: ".env", lines: [{ sign: "+", text: expect.stringMatching(/^TELEGRAM_BOT_TOKEN=\*+/) }] },
      ],
      shadowed: [],
      written: true,
    });
    expect(readFileSync(join(home, ".env"), "utf8")).toBe(`TELEGRAM_BOT_TOKEN=${telegram.token}\n`);
    expect(statSync(join(home, ".env")).mode & 0o777).toBe(0o600);
    expect(await run()).toMatchObject({ code: 0, stdout: "Nothing to change.\n" });
    await new Daemon({ home }).start();
    await until("the gateway polls", () => telegram.updates.isPolled);
  });

  it("reports missing answers, a missing terminal and a broken file", async () => {
    const home = homeWith(addresses());
    expect((await runHermes(home, ["setup"])).stderr).toMatch(/no terminal[\s\S]*--non-interactive/);
    expect((await runHermes(home, ["setup", "--json"])).code).toBe(2);
    const missing = await runHermes(home, ["setup", "--non-interactive", "--provider", "openai"]);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("Pass --model NAME.") });
    const manifest = await runHermes(home, ["setup", "--slack-manifest"]);
    expect(JSON.parse(manifest.stdout).oauth_config.scopes.bot).toContain("chat:write");
    writeFileSync(join(home, "config.yaml"), "timezone: Mars\n");
    const broken = await runHermes(home, ["setup", "--non-interactive"]);
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining("timezone") });
  });
});
