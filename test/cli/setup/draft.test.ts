import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Answers } from "../../../src/cli/setup/answers.js";
import { changedFiles } from "../../../src/cli/setup/changes.js";
import { draft, readCurrent } from "../../../src/cli/setup/draft.js";
import { answersFrom, type SetupFlags } from "../../../src/cli/setup/flags.js";
import { diffLines } from "../../../src/config/diff-lines.js";
import { temporaryFolder } from "../support/run.js";

const TOKEN = "4200:a-token-of-telegram";

function currentOf(config = "", dotenv = "", env: Record<string, string> = {}) {
  const home = join(temporaryFolder(), "home");
  mkdirSync(home);
  if (config) writeFileSync(join(home, "config.yaml"), config);
  if (dotenv) writeFileSync(join(home, ".env"), dotenv);
  return readCurrent(home, env);
}

const answers = (more: Partial<Answers>): Answers => ({ platforms: {}, ...more });
const telegram = (more: Partial<Answers["platforms"]["telegram"]>): Answers =>
  answers({ platforms: { telegram: { enabled: true, secrets: {}, ...more } } });
const KEY_REFERENCE = "$".concat("{BOT}");

describe("what a setup would write", () => {
  it("is settings in config.yaml and secrets in .env", () => {
    const { texts, tried } = draft(
      currentOf(),
      answers({
        model: { provider: "openai-compatible", name: "m1", baseUrl: "http://127.0.0.1:1/v1", key: "sk-1" },
        platforms: {
          telegram: { enabled: true, secrets: { token: TOKEN }, access: { who: "list", ids: ["7"] } },
        },
        timezone: "Europe/Berlin",
        reset: { mode: "idle", atHour: 4, idleMinutes: 60 },
      }),
    );
    expect(texts.config).toBe(`# Written by \`hermes setup\`. All keys: config.example.yaml
model:
  provider: openai-compatible
  default: m1
  base_url: http://127.0.0.1:1/v1
platforms:
  telegram:
    unauthorized_dm_behavior: ignore
    allow_from: ["7"]
timezone: Europe/Berlin
session_reset:
  mode: idle
  idle_minutes: 60
`);
    expect(texts.env).toBe(`HERMES_MODEL_API_KEY=sk-1\nTELEGRAM_BOT_TOKEN=${TOKEN}\n`);
    expect(tried.platforms.telegram).toMatchObject({ enabled: true, token: TOKEN });
    expect(tried.model.api_key).toBe("sk-1");
  });

  it("is nothing if the answers equal the current values", () => {
    const current = currentOf(
      "timezone: UTC\nplatforms: {telegram: {allow_all: true}}\n",
      `TELEGRAM_BOT_TOKEN=${TOKEN}\n`,
    );
    const same = telegram({ access: { who: "everyone" } });
    const { texts } = draft(current, {
      ...same,
      timezone: "UTC",
      reset: { mode: "both", atHour: 4, idleMinutes: 1440 },
    });
    expect(texts).toEqual(current.texts);
    expect(changedFiles(current.texts, texts)).toEqual([]);
  });

  it("moves a secret out of config.yaml, or sets the variable that is named there", () => {
    const moved = draft(
      currentOf("platforms:\n  telegram:\n    token: 1:old\n    allow_all: true\n"),
      telegram({ secrets: { token: TOKEN } }),
    );
    expect(moved.texts).toEqual({
      config: "platforms:\n  telegram:\n    allow_all: true\n",
      env: `TELEGRAM_BOT_TOKEN=${TOKEN}\n`,
    });
    const file = `platforms: {telegram: {token: "${KEY_REFERENCE}"}}\n`;
    const named = draft(currentOf(file, "BOT=1:old # mine\n"), telegram({ secrets: { token: TOKEN } }));
    expect(named.texts).toEqual({ config: file, env: `BOT=${TOKEN}\n` });
    expect(named.tried.platforms.telegram.token).toBe(TOKEN);
  });

  it("switches platforms off and on, and access with them", () => {
    const open = currentOf(
      "allow_all: true\nplatforms: {telegram: {enabled: false, allow_all: true}}\n",
      `TELEGRAM_BOT_TOKEN=${TOKEN}\n`,
    );
    const shut = draft(open, telegram({ access: { who: "pair" } }));
    expect(shut.loaded.config).toMatchObject({
      allow_all: false,
      platforms: { telegram: { enabled: true, allow_all: false } },
    });
    const off = draft(currentOf("", `TELEGRAM_BOT_TOKEN=${TOKEN}\n`), telegram({ enabled: false }));
    expect(off.loaded.config.platforms.telegram.enabled).toBe(false);
  });

  it("never uses a key for another provider", () => {
    const current = currentOf(
      "model: {provider: openai-compatible, default: a, base_url: http://127.0.0.1:1/v1}\n",
      "HERMES_MODEL_API_KEY=sk-mine\n",
    );
    const none = draft(
      current,
      answers({
        model: { provider: "openai-compatible", name: "b", baseUrl: "http://127.0.0.2:1/v1", key: null },
      }),
    );
    expect(none.tried.model.api_key).toBeNull();
    const other = draft(
      current,
      answers({ model: { provider: "openai", name: "c", baseUrl: null, key: "sk-openai" } }),
    );
    expect(other.texts.env).toBe("HERMES_MODEL_API_KEY=sk-openai\n");
    expect(other.tried.model).toMatchObject({ provider: "openai", api_key: "sk-openai", base_url: null });
    const fresh = draft(
      currentOf(),
      answers({ model: { provider: "anthropic", name: "d", baseUrl: null, key: "sk-a" } }),
    );
    expect(fresh.texts.env).toBe("ANTHROPIC_API_KEY=sk-a\n");
  });

  it("is refused if the current key would go to another service", () => {
    const file = "model: {provider: openai-compatible, default: a, base_url: http://127.0.0.1:1/v1}\n";
    const flagged = (flags: SetupFlags, dotenv: string, env: Record<string, string> = {}) => {
      const current = currentOf(file, dotenv, env);
      return draft(current, answersFrom(flags, current));
    };
    const elsewhere = { baseUrl: "http://127.0.0.2:1/v1" };
    const mine = "HERMES_MODEL_API_KEY=sk-mine\n";
    expect(() => flagged(elsewhere, mine)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          /^The model's key, .*, was given for http:\/\/127\.0\.0\.1:1, and would be sent to http:\/\/127\.0\.0\.2:1\. Nothing was written\.$/,
        ),
        hint: expect.stringMatching(/--api-key or in HERMES_MODEL_API_KEY, or --no-api-key/),
      }),
    );
    expect(() => flagged({ provider: "anthropic", model: "b" }, mine)).toThrow("sent to anthropic");
    const keyOf = (...args: Parameters<typeof flagged>) => flagged(...args).tried.model.api_key;
    expect(keyOf({ baseUrl: "http://127.0.0.1:1/v2" }, mine)).toBe("sk-mine");
    expect(keyOf({ ...elsewhere, apiKey: "sk-new" }, mine)).toBe("sk-new");
    expect(keyOf(elsewhere, mine, { HERMES_MODEL_API_KEY: "sk-new" })).toBe("sk-new");
    expect(keyOf({ ...elsewhere, apiKey: false }, mine)).toBeNull();
    expect(flagged({ ...elsewhere, apiKey: false }, mine).texts.env).toBe("HERMES_MODEL_API_KEY=\n");
    expect(keyOf({ provider: "anthropic", model: "b" }, "ANTHROPIC_API_KEY=sk-a\n")).toBe("sk-a");

    const behindProxy = "model: {provider: openai, default: a, base_url: http://127.0.0.1:1/v1}\n";
    const vendors = currentOf(behindProxy, "", { OPENAI_API_KEY: "sk-mine" });
    const direct = { provider: "openai", name: "b", baseUrl: null, key: null } as const;
    expect(draft(vendors, answers({ model: direct })).tried.model.api_key).toBe("sk-mine");

    const ofShell = currentOf(file, "", { HERMES_MODEL_API_KEY: "sk-mine" });
    const model = {
      provider: "openai-compatible",
      name: "b",
      baseUrl: elsewhere.baseUrl,
      key: null,
    } as const;
    expect(() => draft(ofShell, answers({ model }))).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("Unset HERMES_MODEL_API_KEY in your") }),
    );
  });

  it("reports environment variables that override it", () => {
    const current = currentOf("", "", { TELEGRAM_BOT_TOKEN: "1:other" });
    const { shadowed, tried, loaded } = draft(current, telegram({ secrets: { token: TOKEN } }));
    expect(shadowed).toEqual(["TELEGRAM_BOT_TOKEN"]);
    expect([tried, loaded.config].map(({ platforms }) => platforms.telegram.token)).toEqual([
      TOKEN,
      "1:other",
    ]);
  });
});

describe("the changes on the screen", () => {
  it("are the changed lines, each with one line of context", () => {
    const before = "a\nb\nc\nd\ne\n";
    expect(diffLines(before, "a\nb\nC\nd\ne\n").map(({ sign, text }) => sign + text)).toEqual([
      " b",
      "-c",
      "+C",
      " d",
    ]);
    expect(diffLines("", "x\n")).toEqual([{ sign: "+", text: "x" }]);
    expect(diffLines(before, before)).toEqual([]);
  });

  it("show no secret", () => {
    const lines = diffLines(
      "",
      'TELEGRAM_BOT_TOKEN=4200:abcdefghijklmnop\n  x: {token: "short", app_token: xapp-1-abcdefghijklmnop}\n',
    );
    expect(lines.map(({ text }) => text)).toEqual([
      "TELEGRAM_BOT_TOKEN=****mnop",
      "  x: {token: ****, app_token: ****mnop}",
    ]);
  });
});

describe("flags", () => {
  const from = (flags: Parameters<typeof answersFrom>[0], env: Record<string, string> = {}, config = "") =>
    answersFrom(flags, currentOf(config, "", env));

  it("give answers, with secrets from the environment", () => {
    const env = { TELEGRAM_BOT_TOKEN: TOKEN, HERMES_MODEL_API_KEY: "sk-1" };
    const flags = { provider: "openai", model: "m", access: ["telegram=7, 8"], reset: "none" } as const;
    expect(from({ ...flags, access: [...flags.access] }, env)).toMatchObject({
      model: { provider: "openai", name: "m", key: "sk-1" },
      platforms: { telegram: { secrets: { token: TOKEN }, access: { who: "list", ids: ["7", "8"] } } },
      reset: { mode: "none" },
    });
    expect(from({})).toEqual({ platforms: {}, reset: { mode: "both", atHour: 4, idleMinutes: 1440 } });
  });

  it.each([
    [{ provider: "openai" }, "Pass --model NAME."],
    [{ model: "m" }, "Pass --provider openai-compatible, openai or anthropic."],
    [{ provider: "openai-compatible", model: "m" }, "Pass --base-url http://127.0.0.1:11434/v1 or the like."],
    [{ access: ["telegram=pair"] }, "Set TELEGRAM_BOT_TOKEN in the environment, or pass --telegram-token."],
    [{ access: ["telegram"] }, "Give <platform>=<who>"],
    [{ access: ["irc=pair"] }, "Give <platform>=<who>"],
    [{ slackToken: "xoxb-1" }, "Set SLACK_APP_TOKEN or SLACK_SIGNING_SECRET"],
    [{ timezone: "Mars" }, "Give an IANA name"],
  ] as const)("that leave something out are told what: %j", (flags, hint) => {
    expect(() => from(flags as never)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(hint) }),
    );
  });
});
