import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Adapter } from "../../src/adapters/adapter.js";
import { singlePart } from "../../src/adapters/kit/single-part.js";
import { definePlatform } from "../../src/adapters/platform.js";
import { startGateway } from "../../src/main.js";
import { PigeonEmulator, type Room } from "../emulators/pigeon.js";
import { rows } from "../support/agreement.js";
import { atEnd } from "../support/at-end.js";
import { Daemon, hermes } from "../support/daemon.js";
import { tempDir } from "../support/temp.js";
import { until } from "../support/until.js";

/** The example of docs/adding-a-platform.md: built and installed as the page says, run by the real `hermes gateway`. */

const ROOT = path.resolve(import.meta.dirname, "../..");
const DIRECT: Room = { id: "with-ann", direct: true, name: "Ann" };
const LOFT: Room = { id: "loft", direct: false, name: "The loft" };

const plugins = fs.mkdtempSync(path.join(os.tmpdir(), "hermes-plugins-"));

beforeAll(async () => {
  fs.cpSync(path.join(ROOT, "examples/pigeon"), path.join(plugins, "pigeon"), { recursive: true });
  fs.mkdirSync(path.join(plugins, "node_modules"));
  fs.symlinkSync(ROOT, path.join(plugins, "node_modules/hermes-gateway"), "dir");
  const tsc = path.join(ROOT, "node_modules/.bin/tsc");
  const types = path.join(ROOT, "node_modules/@types");
  await promisify(execFile)(tsc, ["-p", ".", "--typeRoots", types], { cwd: path.join(plugins, "pigeon") });
}, 60_000);
afterAll(() => fs.rmSync(plugins, { recursive: true, force: true }));

/** A home with the plugin in it, and its Pigeon. */
async function pigeonWith(
  settings: string,
  enabled = "enabled: [pigeon]",
): Promise<{ pigeon: PigeonEmulator; daemon: Daemon }> {
  const pigeon = await new PigeonEmulator().start();
  atEnd(() => pigeon.close());
  const yaml = `
http: {port: 0}
plugins: {${enabled}}
platforms:
  pigeon:
    api_url: ${pigeon.url}
    poll_seconds: 20
    ${settings}
`;
  const daemon = new Daemon({ yaml });
  fs.writeFileSync(path.join(daemon.home, ".env"), `PIGEON_BOT_TOKEN=${pigeon.token}\n`, { mode: 0o600 });
  const folder = path.join(daemon.home, "plugins/pigeon");
  fs.cpSync(path.join(plugins, "pigeon"), folder, { recursive: true });
  return { pigeon, daemon };
}

const texts = (pigeon: PigeonEmulator, room: Room) => pigeon.said(room).map(({ text }) => text);

describe("the Pigeon example", () => {
  it("answers paired people only; in rooms everyone has a session of their own", async () => {
    const { pigeon, daemon } = await pigeonWith("require_mention: true");
    await daemon.start();
    pigeon.say(LOFT, "Ann", "is anybody here?", [pigeon.bot]);
    pigeon.say(DIRECT, "Ann", "hello");
    const code = await until("there is a code", () => texts(pigeon, DIRECT)[0]?.match(/[A-Z0-9]{8}/)?.[0]);
    expect(texts(pigeon, LOFT)).toEqual([]);
    const approved = await hermes(daemon.home, ["pairing", "approve", "pigeon", code]);
    expect(approved).toMatchObject({ code: 0, stderr: "" });
    pigeon.say(LOFT, "Ann", "not for the bot");
    pigeon.say(LOFT, "Ann", "for the bot", [pigeon.bot]);
    pigeon.say(DIRECT, "Ann", "hello again");
    await until(
      "both are answered",
      () => pigeon.said(LOFT).length === 1 && pigeon.said(DIRECT).length === 2,
    );
    expect(texts(pigeon, LOFT)[0]).toContain("for the bot");
    expect(texts(pigeon, DIRECT)[1]).toContain("hello again");
    const keys = rows<{ session_key: string }>(daemon.home, "SELECT session_key FROM gw_routes ORDER BY 1");
    expect(keys.map((row) => row.session_key)).toEqual([
      "agent:main:pigeon:dm:with-ann",
      "agent:main:pigeon:group:loft:ann",
    ]);
    expect(await daemon.stop()).toBe(0);
  }, 60_000);

  it("answers each message once after kills before the acknowledgement and during a send", async () => {
    const { pigeon, daemon } = await pigeonWith("allow_from: [ann]");
    for (const [i, killAt] of ["accepted:1", "before-send:1", "sent:1"].entries()) {
      pigeon.say(DIRECT, "Ann", `n${i}`);
      expect((await daemon.launch({ HERMES_KILL_AT: killAt }).ended).signal).toBe("SIGKILL");
    }
    await daemon.start();
    pigeon.say(DIRECT, "Ann", "last");
    const answers = () => texts(pigeon, DIRECT).map((text) => text.match(/\b(n\d|last)\b/)?.[0]);
    await until("all is answered", () => answers().includes("last"), { found: answers });
    await until("Pigeon knows what was received", () => pigeon.confirmed === pigeon.lastEvent);
    expect(answers()).toEqual(["n0", "n1", "n2", "last"]);
  }, 60_000);

  it("is listed, checked by the doctor, and its settings by its own schema", async () => {
    const { pigeon, daemon } = await pigeonWith("allow_from: [ann]");
    const listed = await hermes(daemon.home, ["plugins", "list", "--json"]);
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { name: "pigeon", version: "1.0.0", state: "loaded", platforms: ["pigeon"] },
    ]);
    const { stdout } = await hermes(daemon.home, ["doctor", "--json"]);
    const { findings } = JSON.parse(stdout) as { findings: { check: string }[] };
    expect(findings.find(({ check }) => check === "plugins")).toMatchObject({ state: "ok" });
    expect(findings.find(({ check }) => check === "pigeon")).toMatchObject({
      state: "ok",
      message: "the token is valid",
    });
    await pigeon.close();
    const flawed = (await pigeonWith("poll_secs: 1")).daemon.home;
    const checked = await hermes(flawed, ["config", "check"]);
    expect(checked.code).toBe(1);
    expect(checked.stdout).toContain("platforms.pigeon: poll_secs is not a key");
    const started = await hermes(flawed, ["gateway", "--port", "0"]);
    expect(started.stderr).toContain("poll_secs is not a key");
  }, 60_000);

  it("isn't loaded unless it is enabled; its settings stay unchecked then", async () => {
    const { daemon } = await pigeonWith("allow_from: [ann]", "disabled: [pigeon]");
    await daemon.start();
    const warned = daemon.run.logged("the platform is enabled, but has no adapter");
    expect(warned).toMatchObject([{ platform: "pigeon" }]);
    const { stdout } = await hermes(daemon.home, ["plugins", "list"]);
    expect(stdout).toMatch(/pigeon\s+1\.0\.0\s+off\s+it is disabled\. Remove it from plugins\.disabled/);
  }, 60_000);
});

describe("platforms of an embedding program", () => {
  const named = (platform: string, account = "bot"): Adapter => ({
    platform,
    account,
    limits: { length: 1000, unit: "utf16" },
    connect: async () => undefined,
    disconnect: async () => undefined,
    health: () => ({ state: "down", lastProofAt: null }),
    ...singlePart(async () => "1"),
  });

  it.each([
    ["a name that would break session keys", [named("my:chat")], "invalid"],
    ["the name of one that the gateway has", [named("telegram")], "conflict"],
    ["one bot twice", [named("pigeon"), named("pigeon")], "conflict"],
  ])("are rejected with %s", async (_, adapters, code) => {
    const home = path.join(tempDir(), "home");
    const start = (given: Adapter[]) =>
      startGateway({
        env: { HERMES_HOME: home },
        flags: { "http.port": 0, "log.level": "silent" },
        platforms: () => ({ adapters: given }),
      });
    await expect(start(adapters)).rejects.toMatchObject({ code });
    const running = await start([named("pigeon"), named("pigeon", "other")]);
    await running.stop();
  });

  it("can be descriptions with settings of their own", async () => {
    const loaded: unknown[] = [];
    const pigeon = definePlatform({
      name: "pigeon",
      credentials: [],
      settings: ({ loft }) => ({ loft: String(loft) }),
      load: ({ loft, enabled }) => {
        loaded.push({ loft, enabled });
        return { adapter: named("pigeon") };
      },
    });
    const running = await startGateway({
      env: { HERMES_HOME: path.join(tempDir(), "home") },
      flags: { "http.port": 0, "log.level": "silent", "platforms.pigeon.loft": "roof" },
      platforms: [pigeon],
    });
    atEnd(() => running.stop());
    expect(loaded).toEqual([{ loft: "roof", enabled: true }]);
    expect(running.gateway.health().map(({ platform }) => platform)).toContain("pigeon");
  });

  it("can be called over the HTTP port", async () => {
    const handle = async (request: Request) => new Response(`heard: ${await request.text()}`);
    const running = await startGateway({
      env: { HERMES_HOME: path.join(tempDir(), "home") },
      flags: { "http.port": 0, "http.token": "a-long-enough-token", "log.level": "silent" },
      platforms: async () => ({ adapters: [named("pigeon")], callbacks: [{ path: "/pigeon", handle }] }),
    });
    atEnd(() => running.stop());
    const response = await fetch(`${running.url}/pigeon`, { method: "POST", body: "coo" });
    expect(await response.text()).toBe("heard: coo");
  });
});
