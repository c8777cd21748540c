import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/config/faults.js";
import { loadConfig } from "../../src/config/load.js";
import { HermesError, SendError } from "../../src/errors.js";
import type { Plugin } from "../../src/plugins/find.js";
import { loadPlugins } from "../../src/plugins/load.js";
import { tempDir } from "../support/temp.js";

const GOOD = `export const register = (ctx) => ctx.platform({ name: "NAME", load: () => ({ adapter: {} }) });`;

interface Files {
  [name: string]: string;
}

function pluginsDir(): string {
  const dir = path.join(tempDir(), "plugins");
  fs.mkdirSync(dir, { mode: 0o700 });
  return dir;
}

function install(dir: string, name: string, files: Files = {}): string {
  const folder = path.join(dir, name);
  const all: Files = {
    "plugin.yaml": `name: ${name}\nversion: 1.2.3\ndescription: a test\nkind: platform\n`,
    "main.mjs": GOOD.replace("NAME", name),
    ...files,
  };
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [file, text] of Object.entries(all))
    if (text !== "") fs.writeFileSync(path.join(folder, file), text, { mode: 0o600 });
  return folder;
}

interface Settings {
  enabled?: string[];
  disabled?: string[];
  variables?: Record<string, string>;
  all?: boolean;
  loadMs?: number;
}

async function load(
  dir: string,
  { enabled = [], disabled = [], variables = {}, all = false, loadMs }: Settings,
) {
  const options = { dir, settings: { enabled, disabled }, variable: (name: string) => variables[name] };
  return loadPlugins(options, { all, ...(loadMs === undefined ? {} : { loadMs }) });
}

async function loadOnly(dir: string, name: string, settings: Settings = {}): Promise<Plugin> {
  const { plugins } = await load(dir, { enabled: [name], ...settings });
  return plugins[0]!;
}

describe("plugins", () => {
  it("register their platforms, with defaults filled in", async () => {
    const dir = pluginsDir();
    install(dir, "dove");
    const { plugins, platforms } = await load(dir, { enabled: ["dove"] });
    expect(plugins).toMatchObject([{ name: "dove", version: "1.2.3", state: "loaded", platforms: ["dove"] }]);
    expect(platforms).toMatchObject([{ name: "dove", label: "dove", unsolicited: true, capabilities: [] }]);
  });

  it("are imported only if they are enabled", async () => {
    const dir = pluginsDir();
    const trap = 'import fs from "node:fs"; fs.writeFileSync(new URL("ran", import.meta.url), ""); ';
    const off = install(dir, "off", { "main.mjs": trap + GOOD.replace("NAME", "off") });
    const denied = install(dir, "denied", { "main.mjs": trap + GOOD.replace("NAME", "denied") });
    const { plugins } = await load(dir, { enabled: ["denied"], disabled: ["denied"], all: true });
    expect(plugins).toMatchObject([
      { name: "denied", state: "off", reason: "it is disabled" },
      { name: "off", state: "off", reason: "it isn't enabled" },
    ]);
    for (const folder of [off, denied]) expect(fs.existsSync(path.join(folder, "ran"))).toBe(false);
  });

  it("that fail don't stop the others", async () => {
    const dir = pluginsDir();
    install(dir, "broken", { "main.mjs": 'throw new Error("boom");' });
    install(dir, "dove");
    const { plugins, platforms } = await load(dir, { enabled: ["broken", "missing", "dove"] });
    expect(plugins.map(({ state }) => state)).toEqual(["failed", "failed", "loaded"]);
    expect(platforms.map(({ name }) => name)).toEqual(["dove"]);
  });

  const yaml = (text: string) => ({ "plugin.yaml": text });
  const main = (text: string) => ({ "main.mjs": text });
  const registers = (definition: string) =>
    main(`export const register = (ctx) => ctx.platform(${definition});`);

  it.each<[string, Files, RegExp]>([
    ["broken YAML", yaml("name: [dove"), /plugin\.yaml: .+/],
    ["YAML that isn't a mapping", yaml("- dove"), /plugin\.yaml: .*expected object/],
    ["another name in its manifest", yaml("name: hawk"), /has the name "hawk"/],
    ["no manifest", yaml(""), /plugin\.yaml doesn't exist/],
    ["no module", main(""), /main\.mjs doesn't exist/],
    ["a module outside of its folder", yaml("main: ../other.mjs"), /is outside of/],
    ["an absolute path as its module", yaml("main: /tmp/x.mjs"), /is outside of/],
    ["a module that isn't JavaScript", yaml("main: plugin.yaml"), /is not a JavaScript module/],
    ["a module that throws", main('throw new Error("boom")'), /main\.mjs: boom/],
    ["a syntax error", main("export const register = ("), /main\.mjs: /],
    ["no register", main("export const other = 1"), /exports no function register/],
    ["a register that throws", main('export function register() { throw new Error("boom") }'), /boom/],
    ["a register that rejects", main('export async function register() { throw "boom" }'), /boom/],
    [
      "an invalid platform name",
      registers('{ name: "My Chat", load() {} }'),
      /Invalid platform name "My Chat"/,
    ],
    ["no platform name", registers("{ load() {} }"), /Invalid platform name "undefined"/],
    ["the name of a built-in platform", registers('{ name: "telegram", load() {} }'), /has its own telegram/],
    ["no definition", registers(""), /needs a definition/],
    ["no load", registers('{ name: "dove" }'), /has no function load/],
    ["useless settings", registers('{ name: "dove", load() {}, settings: 7 }'), /neither a function nor/],
    ["useless ids", registers('{ name: "dove", load() {}, ids: { chat: "x" } }'), /ids\.chat of dove/],
  ])("fail with %s, naming the file and the fix", async (_, files, reason) => {
    const dir = pluginsDir();
    const folder = install(dir, "dove", files);
    const plugin = await loadOnly(dir, "dove");
    expect(plugin.state).toBe("failed");
    expect(plugin.reason).toMatch(reason);
    expect(plugin.reason).toContain(folder);
    expect(plugin.fix).toMatch(/\w{3,}/);
  });

  it("fail where their platform has been registered already", async () => {
    const dir = pluginsDir();
    install(dir, "dove");
    install(dir, "copy", { "main.mjs": GOOD.replace("NAME", "dove") });
    const { plugins, platforms } = await load(dir, { enabled: ["dove", "copy"] });
    expect(plugins[1]).toMatchObject({ state: "failed", fix: "Disable one of the two plugins" });
    expect(platforms).toHaveLength(1);
  });

  it("lose all their platforms if register fails halfway", async () => {
    const dir = pluginsDir();
    install(dir, "dove", {
      "main.mjs": `${GOOD.replace("NAME", "dove").replace("register", "first")}
export const register = (ctx) => { first(ctx); throw new Error("boom"); };`,
    });
    const { platforms } = await load(dir, { enabled: ["dove"] });
    expect(platforms).toEqual([]);
  });

  it("fail if their import or register takes too long", async () => {
    const dir = pluginsDir();
    install(dir, "slow", { "main.mjs": "export const register = () => new Promise(() => {});" });
    const plugin = await loadOnly(dir, "slow", { loadMs: 200 });
    expect(plugin).toMatchObject({ state: "failed" });
    expect(plugin.reason).toContain("its register took longer than 0.2 s");
  });

  it("can't register platforms later", async () => {
    const dir = pluginsDir();
    install(dir, "late", {
      "main.mjs": `export let problem;
export function register(ctx) {
  setTimeout(() => { try { ctx.platform({ name: "late", load() {} }) } catch (error) { globalThis.lateProblem = error.message } });
}`,
    });
    const { platforms } = await load(dir, { enabled: ["late"] });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((globalThis as { lateProblem?: string }).lateProblem).toContain("within register only");
    expect(platforms).toEqual([]);
  });

  it("that are links, or whose module is a link out of the folder, are rejected", async () => {
    const dir = pluginsDir();
    const elsewhere = install(tempDir(), "dove");
    fs.symlinkSync(elsewhere, path.join(dir, "dove"), "dir");
    expect((await loadOnly(dir, "dove")).reason).toMatch(/is a link to .*, outside of/);
    const folder = install(dir, "hawk", { "main.mjs": "" });
    fs.symlinkSync(path.join(elsewhere, "main.mjs"), path.join(folder, "main.mjs"));
    expect((await loadOnly(dir, "hawk")).reason).toMatch(/main\.mjs is a link to .*, outside of/);
    const helper = install(dir, "crow");
    fs.symlinkSync(path.join(elsewhere, "main.mjs"), path.join(helper, "helper.mjs"));
    expect((await loadOnly(dir, "crow")).reason).toMatch(/helper\.mjs is a link to/);
  });

  it.each(["main.mjs", "plugin.yaml", "helper.mjs", "."])(
    "are rejected if every user can change %s",
    async (name) => {
      const dir = pluginsDir();
      const folder = install(dir, "dove", { "helper.mjs": "export {};" });
      const file = path.join(folder, name);
      fs.chmodSync(file, 0o777);
      const plugin = await loadOnly(dir, "dove");
      expect(plugin).toMatchObject({ state: "failed", fix: `chmod o-w ${path.join(file)}` });
    },
  );

  it("for Hermes Agent are listed and skipped", async () => {
    const dir = pluginsDir();
    install(dir, "snake", { "main.mjs": "", "__init__.py": "def register(ctx): ..." });
    install(dir, "bare", { "main.mjs": "", "plugin.yaml": "", "__init__.py": "def register(ctx): ..." });
    install(dir, "model", { "plugin.yaml": "kind: model-provider\n" });
    const { plugins } = await load(dir, { enabled: ["snake", "bare", "model"] });
    expect(plugins.map(({ state }) => state)).toEqual(["skipped", "skipped", "skipped"]);
    expect(plugins[0]!.reason).toContain("__init__.py is Python");
    expect(plugins[2]!.reason).toContain('its kind is "model-provider"');
  });

  it("need the variables that they require", async () => {
    const dir = pluginsDir();
    const manifest =
      "requires_env:\n  - A_KEY\n  - {name: B_KEY, description: the other, url: 'https://b.example'}\n";
    install(dir, "dove", { "plugin.yaml": manifest });
    expect(await loadOnly(dir, "dove", { variables: { A_KEY: "a" } })).toMatchObject({
      state: "failed",
      reason: "it needs B_KEY (the other)",
      fix: "Set it in .env or in the environment. https://b.example",
    });
    expect((await loadOnly(dir, "dove", { variables: { A_KEY: "a", B_KEY: "b" } })).state).toBe("loaded");
  });

  it.each(["../dove", "a/b", "node_modules", ""])("can't be named %j", async (name) => {
    const dir = pluginsDir();
    expect(await loadOnly(dir, name)).toMatchObject({ state: "failed" });
  });
});

describe("the configuration of a plugin's platform", () => {
  const platform = (settings: unknown) => [
    {
      name: "dove",
      label: "Dove",
      summary: "",
      ids: { chat: /x/ },
      unsolicited: true,
      capabilities: [],
      settings,
      load: () => ({}),
    },
  ];
  const loadWith = (settings: unknown, section: Record<string, unknown>) => {
    const flags = Object.fromEntries(
      Object.entries(section).map(([key, value]) => [`platforms.dove.${key}`, value]),
    );
    const external = platform(settings) as unknown as NonNullable<
      Parameters<typeof loadConfig>[0]["external"]
    >;
    return loadConfig({ home: "/nonexistent", env: { DOVE_BOT_TOKEN: "t" }, flags, external }).config
      .platforms.dove;
  };
  const standard = (validate: (value: unknown) => unknown) => ({
    "~standard": { version: 1, vendor: "test", validate },
  });

  it("has the common keys, and its own as its function returns them", () => {
    const section = loadWith((own: { loft: string }) => ({ loft: own.loft.toUpperCase() }), {
      loft: "roof",
      allow_from: "ann",
    });
    expect(section).toMatchObject({ enabled: true, token: "t", loft: "ROOF", allow_from: ["ann"] });
  });

  it("can be checked by any standard schema", () => {
    const good = standard((value) => ({ value: { ...(value as object), checked: true } }));
    expect(loadWith(good, { loft: "roof" })).toMatchObject({ loft: "roof", checked: true });
    const bad = standard(() => ({ issues: [{ message: "is too high", path: ["loft", { key: "floor" }] }] }));
    expect(() => loadWith(bad, { loft: "roof" })).toThrow("platforms.dove.loft.floor: is too high");
  });

  it.each([
    [
      "an error of its function",
      () => {
        throw new Error("loft is missing");
      },
      "platforms.dove: loft is missing",
    ],
    ["an asynchronous schema", standard(async () => ({ value: {} })), "its schema is asynchronous"],
    ["a schema that gives no object", () => 7, "its schema gives no object"],
  ])("is rejected with %s", (_, settings, message) => {
    expect(() => loadWith(settings, {})).toThrow(ConfigError);
    expect(() => loadWith(settings, {})).toThrow(message);
  });

  it("has no own keys without settings", () => {
    expect(() => loadWith(undefined, { loft: "roof" })).toThrow("platforms.dove.loft: is not a known key");
  });

  it("stays unchecked while its plugin isn't loaded", () => {
    const flags = { "plugins.enabled": "dove", "platforms.dove.loft": "roof" };
    const { config } = loadConfig({ home: "/nonexistent", env: {}, flags });
    expect(config.platforms.dove).toMatchObject({ loft: "roof", enabled: false });
    expect(() =>
      loadConfig({ home: "/nonexistent", env: {}, flags: { "platforms.dove.loft": "roof" } }),
    ).toThrow("is not a known key");
  });
});

describe("errors of a plugin's own copy of the library", () => {
  it("are recognised, and subclasses told apart", () => {
    const foreign = { [Symbol.for("hermes-gateway.SendError")]: true };
    expect(foreign instanceof SendError).toBe(true);
    expect(foreign instanceof HermesError).toBe(false);
    expect(new HermesError("invalid", "x") instanceof ConfigError).toBe(false);
    expect(new ConfigError([]) instanceof HermesError).toBe(true);
  });
});
