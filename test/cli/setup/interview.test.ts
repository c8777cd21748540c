import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { DiscordEmulator } from "../../emulators/discord/index.js";
import { ModelServer, refuses } from "../../emulators/model-server.js";
import { SlackEmulator } from "../../emulators/slack/index.js";
import { TelegramEmulator } from "../../emulators/telegram/index.js";
import { closedAddress } from "../../support/closed-address.js";
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

/** It is the last but one of the list. */
const ANOTHER_SERVER = ["Up", "Up", "Enter"];
const NO_MODEL = ["Up", "Enter"];

/** A person at the terminal: waits for a question, then answers it. */
class Person {
  readonly #screen: Screen;

  constructor(home: string, columns = 120) {
    this.#screen = openScreen(home, ["setup"], columns);
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

  /** Types into the open list, and presses a key when it shows the search. */
  async searches(words: string, key: string): Promise<void> {
    this.#screen.type(words);
    await this.#screen.until(new RegExp(`Search: ${words}[^◆◇]*$`));
    this.#screen.press(key);
  }
}

async function namesModel(person: Person): Promise<void> {
  await person.answers(/Which service runs your model\?/, ...ANOTHER_SERVER);
  await person.types(/Its address/, model.url);
  await person.types(/API key/, KEY);
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
    await person.sees(/the key was rejected[\s\S]*→ Check that the whole key was pasted/);
    await person.answers(/What now\?[^◆◇]*Enter another key/, "Down", "Enter");
    await person.sees(/m1 \(openai-compatible\) answers/);

    await person.answers(/Which chats\?/, "Space", "Down", "Space", "Down", "Space", "Enter");
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

    await person.answers(/When does a conversation start over/, "Enter");
    await person.types(/At which hour/, "5");
    await person.answers(/hours without a message/, "Enter");
    await person.types(/time zone/, "Europe/Berlin");
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
      ...[/Which service runs your model\?/, /Its address/, /API key/, /The model's name/, /Which chats\?/],
      ...[/Bot token \(Enter: keep the current one\)/, /Who may talk to it on Telegram\?/],
      ...[/When does a conversation start over/, /At which hour/, /hours without a message/, /time zone/],
    ])
      await person.answers(question, "Enter");
    await person.sees(/Nothing has changed[\s\S]*exit=0/);
    expect(readFileSync(join(home, "config.yaml"), "utf8")).toBe(before);
    expect(readFileSync(join(home, ".env"), "utf8")).toContain("# mine");
  });

  it("changes nothing after Ctrl-C or no", async () => {
    const home = homeWith(addresses());
    const person = new Person(home);
    await namesModel(person);
    await person.answers(/Which chats\?/, "C-c");
    await person.sees(/Cancelled: nothing was changed[\s\S]*exit=0/);
    const again = new Person(home);
    await again.answers(/Which service runs your model\?/, ...NO_MODEL);
    await again.answers(/Which chats\?/, "Enter");
    await again.answers(/When does a conversation start over/, "Up", "Enter");
    await again.answers(/time zone/, "Enter");
    await again.answers(/Write this\?/, "n");
    await again.sees(/Cancelled: nothing was changed[\s\S]*exit=0/);
    expect(readFileSync(join(home, "config.yaml"), "utf8")).toBe(addresses());
    expect(existsSync(join(home, ".env"))).toBe(false);
  });
});

describe("going back and failures in hermes setup", { timeout: 180_000 }, () => {
  it("goes back one question with Escape, and offers what was answered before", async () => {
    const home = homeWith(addresses());
    const person = new Person(home);
    await person.answers(/Which service runs your model\?/, "Escape");
    await person.sees(/This is the first question/);
    await namesModel(person);
    await person.answers(/Which chats\?/, "Space", "Enter");
    await person.types(/Bot token/, telegram.token);
    await person.answers(/Who may talk to it on Telegram\?/, "Down", "Enter");
    await person.types(/Their ids/, "1001");
    await person.answers(/When does a conversation start over/, "Escape");
    await person.answers(/Their ids[^◆◇]*1001/, "Escape");
    await person.answers(/Who may talk to it on Telegram\?/, "Up", "Enter");
    await person.answers(/When does a conversation start over/, "Up", "Enter");
    await person.answers(/time zone/, "Enter");
    await person.answers(/Write this\?/, "Escape");
    await person.types(/time zone/, "Asia/Tokyo");
    await person.answers(/Write this\?/, "Enter");
    await person.sees(/Written[\s\S]*exit=0/);
    const written = readFileSync(join(home, "config.yaml"), "utf8");
    expect(written).toContain("timezone: Asia/Tokyo");
    expect(written).not.toContain("allow_from");
    expect(readFileSync(join(home, ".env"), "utf8")).toContain(telegram.token);
    expect(model.requests).toHaveLength(1); // the model was tried once
  });

  it("explains a closed port, a rejected key and a model that doesn't exist", async () => {
    const names = Array.from({ length: 40 }, (_, i) => `model-${i}`);
    const server = await ModelServer.start({ models: names, key: KEY });
    onTestFinished(() => server.close());
    const home = homeWith(addresses());
    const person = new Person(home, 80);
    await person.answers(/Which service runs your model\?/, ...ANOTHER_SERVER);
    await person.types(/Its address/, await closedAddress());
    await person.answers(/API key \(Enter: none\)/, "Enter");
    await person.sees(/can't be reached:\s+(│\s+)?nothing\s+(│\s+)?listens\s+(│\s+)?there/);
    await person.answers(/What now\?[^◆◇]*Choose another service/, "Down", "Enter");

    await person.answers(/Which service runs your model\?[^◆◇]*● Another server/, "Enter");
    await person.types(/Its address/, server.url);
    await person.types(/API key/, "sk-wrong");
    await person.sees(/rejected the key \(HTTP 401\)/);
    await person.answers(/What now\?[^◆◇]*● Enter another key/, "Enter");
    await person.types(/API key/, KEY);

    await person.answers(/Which of its 40 models\?/);
    await person.searches("no-such", "Enter");
    server.script(refuses(404, "The model `gone` does not exist"));
    await person.types(/The model's name/, "gone");
    await person.sees(/gone \(openai-compatible\) wasn't found: HTTP 404/);
    await person.answers(/What now\?[^◆◇]*● Choose another model/, "Enter");
    await person.answers(/Which of its 40 models\?/);
    await person.searches("39", "Enter");
    await person.sees(/model-39 \(openai-compatible\) answers/);
    await person.answers(/Which chats\?/, "C-c");
    await person.sees(/Cancelled: nothing was changed[\s\S]*exit=0/);
  });

  it("finds the API of a server whose address lacks /v1, and asks for no key where none is needed", async () => {
    const server = await ModelServer.start({ models: ["only-one"] });
    onTestFinished(() => server.close());
    const home = homeWith(addresses());
    const person = new Person(home);
    await person.answers(/Which service runs your model\?/, ...Array<string>(6).fill("Down"), "Enter");
    await person.types(/Its address[^◆◇]*127\.0\.0\.1:11434/, server.url.replace(/\/v1$/, ""));
    await person.answers(/Which model\?[^◆◇]*● only-one/, "Enter");
    await person.sees(/only-one \(openai-compatible\) answers/);
    await person.answers(/Which chats\?/, "Enter");
    await person.answers(/When does a conversation start over/, "Up", "Enter");
    await person.answers(/time zone/, "Enter");
    await person.answers(/Write this\?/, "Enter");
    await person.sees(/Written[\s\S]*exit=0/);
    expect(readFileSync(join(home, "config.yaml"), "utf8")).toContain(`base_url: ${server.url}`);
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
