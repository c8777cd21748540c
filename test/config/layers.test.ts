import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.js";
import { faultsOf, load, temporaryHome } from "./temp-home.js";

test("uses the defaults without any layer", () => {
  const { config, sources } = load({});
  expect(config.session_reset).toEqual({
    mode: "both",
    at_hour: 4,
    idle_minutes: 1440,
    notify: true,
    notify_exclude_platforms: ["api_server", "webhook"],
  });
  expect(config.http).toMatchObject({ host: "127.0.0.1", port: 8787, token: null });
  expect(config.model.provider).toBe("echo");
  expect(config.timezone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
  expect(config.platforms.telegram.enabled).toBe(false);
  expect(config.platforms.web.enabled).toBe(true);
  expect(new Set(Object.values(sources))).toEqual(new Set(["default"]));
});

test("a missing home counts as an empty one", () => {
  expect(loadConfig({ home: join(temporaryHome(), "nowhere"), env: {} }).config.http.port).toBe(8787);
});

test("flags win over the environment, that over .env, that over the file, that over the default", () => {
  const yaml = "http:\n  port: 1001\n";
  const dotenv = "HERMES_HTTP_PORT=1002\n";
  const env = { HERMES_HTTP_PORT: "1003" };
  const flags = { "http.port": "1004" };
  const port = (given: Parameters<typeof load>[0]) => {
    const { config, sources } = load(given);
    return [config.http.port, sources["http.port"]];
  };
  expect(port({})).toEqual([8787, "default"]);
  expect(port({ yaml })).toEqual([1001, "config.yaml:2"]);
  expect(port({ yaml, dotenv })).toEqual([1002, "env HERMES_HTTP_PORT (.env:1)"]);
  expect(port({ yaml, dotenv, env })).toEqual([1003, "env HERMES_HTTP_PORT"]);
  expect(port({ yaml, dotenv, env, flags })).toEqual([1004, "flag"]);
});

test("missing flags and empty variables set nothing", () => {
  const { config } = load({
    yaml: "http: {port: 1001, host: 0.0.0.0}",
    env: { HERMES_HTTP_PORT: "" },
    flags: { "http.host": undefined },
  });
  expect(config.http).toMatchObject({ port: 1001, host: "0.0.0.0" });
});

test("setting a token enables its platform, unless it is switched off", () => {
  const env = {
    TELEGRAM_BOT_TOKEN: "1:a",
    DISCORD_BOT_TOKEN: "d",
    SLACK_BOT_TOKEN: "xoxb",
    SLACK_APP_TOKEN: "xapp",
  };
  const { config, sources } = load({ env, yaml: "platforms:\n  discord:\n    enabled: off\n" });
  expect(config.platforms.telegram).toMatchObject({ enabled: true, token: "1:a" });
  expect(config.platforms.discord).toMatchObject({ enabled: false, token: "d" });
  expect(config.platforms.slack).toMatchObject({ enabled: true, token: "xoxb", app_token: "xapp" });
  expect(sources["platforms.telegram.token"]).toBe("env TELEGRAM_BOT_TOKEN");
});

test("Hermes' variables reach their keys", () => {
  const { config } = load({
    env: {
      TELEGRAM_ALLOWED_USERS: "12, 34,,",
      TELEGRAM_GROUP_ALLOWED_USERS: "56",
      DISCORD_ALLOW_ALL_USERS: "YES",
      GATEWAY_ALLOWED_USERS: "*",
      GATEWAY_ALLOW_ALL_USERS: "0",
      SLACK_HOME_CHANNEL: "C1",
      SLACK_SIGNING_SECRET: "s",
      SESSION_IDLE_MINUTES: "30",
      SESSION_RESET_HOUR: "6",
      HERMES_TIMEZONE: "Asia/Tokyo",
      HERMES_HTTP_TOKEN: "t",
      AUXILIARY_TITLE_GENERATION_MODEL: "small",
      AUXILIARY_COMPRESSION_PROVIDER: "anthropic",
      SIGNAL_GROUP_ALLOWED_USERS: "Zm9v=",
      FEISHU_ALLOWED_USERS: "not a platform of ours",
    },
  });
  expect(config.platforms.telegram.allow_from).toEqual(["12", "34"]);
  expect(config.platforms.telegram.group_allow_from).toEqual(["56"]);
  expect(config.platforms.discord.allow_all).toBe(true);
  expect(config.allow_from).toEqual(["*"]);
  expect(config.allow_all).toBe(false);
  expect(config.platforms.slack).toMatchObject({ home_channel: "C1", signing_secret: "s", enabled: false });
  expect(config.session_reset).toMatchObject({ idle_minutes: 30, at_hour: 6, mode: "both" });
  expect(config.timezone).toBe("Asia/Tokyo");
  expect(config.http.token).toBe("t");
  expect(config.auxiliary.title_generation).toMatchObject({ model: "small", timeout: 30 });
  expect(config.auxiliary.compression).toMatchObject({ provider: "anthropic", timeout: 120 });
  // Hermes means groups by it.
  expect(config.platforms.signal).toMatchObject({ group_allowed_chats: ["Zm9v="], group_allow_from: [] });
  expect(Object.keys(config.platforms)).not.toContain("feishu");
});

test("a vendor's key goes to that vendor only, and HERMES_MODEL_API_KEY wins over it", () => {
  const env = { OPENAI_API_KEY: "openai", ANTHROPIC_API_KEY: "anthropic" };
  const key = (provider: string, more = {}) =>
    load({
      yaml: `model: {provider: ${provider}, default: m, base_url: "http://x"}`,
      env: { ...env, ...more },
    }).config.model.api_key;
  expect(key("openai")).toBe("openai");
  expect(key("anthropic")).toBe("anthropic");
  expect(key("openai-compatible")).toBeNull();
  expect(key("echo")).toBeNull();
  expect(key("openai", { HERMES_MODEL_API_KEY: "mine" })).toBe("mine");
  const { config } = load({
    env,
    yaml: "model: {fallback: [{provider: anthropic, default: a}, {provider: openai, default: b, api_key: own}]}",
  });
  expect(config.model.fallback.map(({ api_key }) => api_key)).toEqual(["anthropic", "own"]);
});

test("overrides of the reset policy are whole policies and do not merge with session_reset", () => {
  const { config } = load({
    yaml: "session_reset: {at_hour: 9, idle_minutes: 5}\nreset_by_type:\n  group: {mode: idle}\n",
  });
  expect(config.reset_by_type.group).toMatchObject({ mode: "idle", at_hour: 4, idle_minutes: 1440 });
});

test("a null means the default, except where null has a meaning", () => {
  const { config } = load({ yaml: "session_reset:\nhttp:\n  port: ~\nmax_concurrent_sessions: null\n" });
  expect(config.session_reset.mode).toBe("both");
  expect(config.http.port).toBe(8787);
  expect(config.max_concurrent_sessions).toBeNull();
  expect(load({ yaml: "max_concurrent_sessions: 0" }).config.max_concurrent_sessions).toBeNull();
});

test("ids keep every digit, and off is a word where a word is wanted", () => {
  const { config } = load({
    yaml: `
platforms:
  discord:
    allow_from: [123456789012345678901, 007]
    home_channel: -1001234567890
    reply_to_mode: off
    require_mention: no
    mention_patterns: 'hey{1,2}'
streaming: {transport: off}
`,
  });
  expect(config.platforms.discord).toMatchObject({
    allow_from: ["123456789012345678901", "007"],
    home_channel: "-1001234567890",
    reply_to_mode: "off",
    require_mention: false,
    mention_patterns: ["hey{1,2}"],
  });
  expect(config.streaming.transport).toBe("off");
});

test("an external platform takes the common keys, a token and anything under extra", () => {
  const { config } = load({
    yaml: "platforms:\n  zulip:\n    token: t\n    extra: {server: [a, 1, true]}\n",
    env: { ZULIP_ALLOWED_USERS: "@me:example.org" },
  });
  expect(config.platforms.zulip).toMatchObject({
    enabled: true,
    allow_from: ["@me:example.org"],
    extra: { server: ["a", 1, true] },
  });
});

test("skips and lists Hermes Agent's own keys", () => {
  const { ignored } = load({ yaml: "terminal: {backend: local}\nagent:\n  max_turns: 5\n  verbose: true\n" });
  expect(ignored).toEqual([
    { where: "config.yaml:1", path: "terminal" },
    { where: "config.yaml:4", path: "agent.verbose" },
  ]);
});

test("the result is frozen", () => {
  const { config, sources } = load({ yaml: "owners: [telegram:1]" });
  expect(() => config.owners.push("telegram:2")).toThrow(TypeError);
  expect(() => {
    config.platforms.telegram.allow_all = true;
  }).toThrow(TypeError);
  expect(Object.isFrozen(sources)).toBe(true);
});

test("a config.yaml that is a directory is a fault, not a crash", () => {
  const home = temporaryHome();
  mkdirSync(join(home, "config.yaml"));
  expect(() => loadConfig({ home, env: {} })).toThrow(
    /config\.yaml {2}can't be read: it is not a regular file/,
  );
});

test("reads our keys under hooks, skips Hermes Agent's, and rejects private URLs", () => {
  const yaml = (url: string) =>
    `hooks:\n  pre_tool_call: [{command: x}]\n  webhooks:\n    audit: {url: "${url}", events: ["agent:end"]}\n`;
  const { config, ignored } = load({ yaml: yaml("https://example.org/h") });
  expect(config.hooks.webhooks.audit).toMatchObject({ retries: 3, secret: null, allow_private: false });
  expect(ignored.map(({ path }) => path)).toEqual(["hooks.pre_tool_call"]);
  expect(faultsOf({ yaml: yaml("http://example.org/h") })).toMatchObject([
    { message: expect.stringContaining("is not https") },
  ]);
  expect(faultsOf({ yaml: yaml("https://10.0.0.1/h") })).toMatchObject([
    { message: expect.stringContaining("private network") },
  ]);
});
