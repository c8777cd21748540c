import { expect, it } from "vitest";
import { changeSettings, type SettingChange } from "../../src/config/change-settings.js";
import { formFields } from "../../src/config/form.js";
import { type ConfigTexts, loadConfig } from "../../src/config/load.js";
import { maskedDiff } from "../../src/config/masked-diff.js";

const NO_HOME = "/nonexistent";

function change(texts: Partial<ConfigTexts>, changes: SettingChange[], env: Record<string, string> = {}) {
  const before = { config: "", env: "", ...texts };
  const load = (after: ConfigTexts) => loadConfig({ home: NO_HOME, env, texts: after });
  return { before, ...changeSettings(before, changes, load) };
}

const shownDiff = (before: ConfigTexts, after: ConfigTexts) => JSON.stringify(maskedDiff(before, after));
const field = (path: string) => formFields().find((one) => one.path.join(".") === path);

it("makes a field of every key", () => {
  const kinds = (path: string) => field(path)?.kind;
  expect(kinds("allow_all")).toBe("switch");
  expect(kinds("http.port")).toBe("number");
  expect(kinds("model.base_url")).toBe("text");
  expect(kinds("platforms.telegram.home_channel")).toBe("text");
  expect(kinds("owners")).toBe("list");
  expect(kinds("allow_from")).toBe("list");
  expect(kinds("acp.env")).toBe("map");
  expect(field("platform_toolsets")).toMatchObject({ kind: "map", ofLists: true });
  expect(kinds("http.token")).toBe("secret");
  expect(kinds("platforms.api_server.api_keys")).toBe("other");
  expect(kinds("model.fallback")).toBe("other");
  expect(field("session_reset.mode")).toMatchObject({ kind: "choice", default: "both" });
  expect(field("display.tool_progress")?.choices).toEqual(["off", "new", "all", "verbose"]);
  expect(field("max_concurrent_sessions")).toMatchObject({ nullable: true, default: 50 });
  expect(
    formFields()
      .filter(({ description }) => description === "")
      .map(({ path }) => path.join(".")),
  ).toEqual([]);
  const plain = formFields().filter(({ kind }) => kind !== "other");
  expect(plain.length).toBeGreaterThan(formFields().length * 0.9);
});

it("keeps comments and formatting, and writes nothing else", () => {
  const config = "# mine\nmodel:\n    provider: echo   # repeats\n\n# who\nowners: [ 'web:ann' ]\n";
  const { texts, faults } = change({ config }, [
    { path: "session_reset.mode", value: "idle" },
    { path: "owners", value: ["web:ann", "telegram:5"] },
    { path: "max_concurrent_sessions", value: null },
    { path: "platform_toolsets", value: { telegram: ["web", "memory"] } },
  ]);
  expect(faults).toEqual([]);
  expect(texts.config).toBe(
    "# mine\nmodel:\n    provider: echo   # repeats\n\n# who\nowners: [web:ann, telegram:5]\n" +
      "session_reset:\n  mode: idle\nmax_concurrent_sessions: null\nplatform_toolsets: {telegram: [web, memory]}\n",
  );
  const { texts: back } = change({ config: texts.config }, [{ path: "session_reset.mode" }]);
  expect(back.config).not.toContain("idle");
});

it("says every fault at its key", () => {
  const { faults } = change({}, [
    { path: "http.port", value: "many" },
    { path: "timezone", value: "Mars/Olympus" },
    { path: "model.provider", value: "openai" },
  ]);
  expect(faults.map(({ path }) => path).sort()).toEqual(["http.port", "model.default", "timezone"]);
  expect(faults.find(({ path }) => path === "http.port")?.message).toBe('"many" is not a number');
});

it("says so where something else wins", () => {
  const { faults } = change({}, [{ path: "log.level", value: "debug" }], { HERMES_LOG_LEVEL: "warn" });
  expect(faults).toEqual([
    { path: "log.level", message: "env HERMES_LOG_LEVEL wins over the files: change it there" },
  ]);
});

it("sends no model key to another service than it was given for", () => {
  const texts = {
    config: "model: {provider: openai-compatible, default: a, base_url: http://127.0.0.1:1/v1}\n",
    env: "HERMES_MODEL_API_KEY=sk-mine\n",
  };
  const elsewhere = { path: "model.base_url", value: "http://127.0.0.2:1/v1" };
  expect(change(texts, [elsewhere]).faults).toEqual([
    {
      path: "model.api_key",
      message:
        "was given for http://127.0.0.1:1, and would be sent to http://127.0.0.2:1: enter the key for that service, or remove it",
    },
  ]);
  const path = "model.api_key";
  expect(change(texts, [elsewhere, { path, value: "sk-mine" }]).faults).toEqual([]);
  expect(change(texts, [elsewhere, { path }]).faults).toEqual([]);
  expect(change(texts, [{ ...elsewhere, value: "http://127.0.0.1:1/v2" }]).faults).toEqual([]);
  expect(change({ env: texts.env }, [{ path: "model.default", value: "b" }]).faults).toEqual([]);
});

it("refuses what it can't edit", () => {
  for (const path of ["model.fallback", "nothing", "webhooks.ci.secret", "__proto__"])
    expect(() => change({}, [{ path, value: "x" }])).toThrow(`A form can't change ${path}.`);
});

it("puts secrets into .env: under the variable in use, the known one, or one of its own", () => {
  const set = (path: string, texts: Partial<ConfigTexts> = {}) =>
    change(texts, [{ path, value: "it's a #secret" }]);
  const quoted = `"it's a #secret"`;
  expect(set("http.token").texts).toEqual({ config: "", env: `HERMES_HTTP_TOKEN=${quoted}\n` });
  expect(set("http.token", { config: "http: {token: old-token-in-the-file}\n" }).texts).toEqual({
    config: "http: {}\n",
    env: `HERMES_HTTP_TOKEN=${quoted}\n`,
  });
  expect(
    set("http.token", { config: `http: {token: "\${MINE}"}\n`, env: "# mine\nMINE=old\n" }).texts,
  ).toEqual({
    config: `http: {token: "\${MINE}"}\n`,
    env: `# mine\nMINE=${quoted}\n`,
  });
  const model = { config: "model: {provider: openai, default: m}\n", env: "OPENAI_API_KEY=sk-old\n" };
  expect(set("model.api_key", model).texts.env).toBe(`OPENAI_API_KEY=${quoted}\n`);
  const own = set("agent_service.api_key");
  expect(own.texts).toEqual({
    config: `agent_service:\n  api_key: "\${HERMES_AGENT_SERVICE_API_KEY}"\n`,
    env: `HERMES_AGENT_SERVICE_API_KEY=${quoted}\n`,
  });
  expect(own.faults).toEqual([]);
  const removed = change({ env: "HERMES_HTTP_TOKEN=abc\n" }, [{ path: "http.token" }]);
  expect(removed).toMatchObject({ texts: { env: "HERMES_HTTP_TOKEN=\n" }, faults: [] });
});

it("never shows a secret in a diff", () => {
  const config = [
    "http:",
    "  token: tok-SECRET-1",
    "mcp_servers:",
    "  notes:",
    "    url: https://ann:pw-SECRET-2@example.org/mcp",
    "    headers: {Authorization: Bearer SECRET-3}",
    "webhooks:",
    "  ci:",
    "    secret: |",
    "      SECRET-4",
    "    deliver: local",
    "log: {level: info}",
    "",
  ].join("\n");
  const env = "PLAIN=SECRET-5\n# OLD=SECRET-6\nOTHER=SECRET-7\nend+of+a+key+SECRET-9==\n";
  const { before, texts } = change({ config, env }, [
    { path: "http.token", value: "SECRET-8" },
    { path: "http.port", value: 9000 },
  ]);
  const shown = shownDiff(before, {
    config: texts.config.replaceAll("deliver: local", "deliver: home"),
    env: texts.env,
  });
  expect(shown).toContain("port: 9000");
  expect(shown).toContain("deliver: home");
  expect(shown).toContain("HERMES_HTTP_TOKEN=****");
  expect(shown).not.toContain("SECRET-");
});
