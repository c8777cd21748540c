import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Adapter } from "../../src/adapters/adapter.js";
import { startGateway } from "../../src/main.js";
import { PigeonEmulator, type Room } from "../emulators/pigeon.js";
import { rows } from "../support/agreement.js";
import { atEnd } from "../support/at-end.js";
import { Daemon, hermes } from "../support/daemon.js";
import { tempDir } from "../support/temp.js";
import { until } from "../support/until.js";

/** The example of docs/adding-a-platform.md, started as the page says, on the package as it is compiled. */

const EXAMPLES = path.resolve(import.meta.dirname, "../../examples");
const PROGRAM = ["--import", "tsx", path.join(EXAMPLES, "pigeon/gateway.ts")];
const ENV = { TSX_TSCONFIG_PATH: path.join(EXAMPLES, "tsconfig.json") };

const DIRECT: Room = { id: "with-ann", direct: true, name: "Ann" };
const LOFT: Room = { id: "loft", direct: false, name: "The loft" };

async function pigeonWith(settings: string): Promise<{ pigeon: PigeonEmulator; daemon: Daemon }> {
  const pigeon = await new PigeonEmulator().start();
  atEnd(() => pigeon.close());
  const yaml = `
http: {port: 0}
platforms:
  pigeon:
    api_url: ${pigeon.url}
    token: ${pigeon.token}
    ${settings}
`;
  return { pigeon, daemon: new Daemon({ yaml, program: PROGRAM }) };
}

const texts = (pigeon: PigeonEmulator, room: Room) => pigeon.said(room).map(({ text }) => text);

describe("the Pigeon example", () => {
  it("lets nobody in who isn't paired; rooms have a session for each person", async () => {
    const { pigeon, daemon } = await pigeonWith("require_mention: true");
    await daemon.start(ENV);
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

  it("answers each message once, though it is killed before Pigeon knows and in the middle of a send", async () => {
    const { pigeon, daemon } = await pigeonWith("allow_from: [ann]");
    for (const [i, killAt] of ["accepted:1", "before-send:1", "sent:1"].entries()) {
      pigeon.say(DIRECT, "Ann", `n${i}`);
      expect((await daemon.launch({ ...ENV, HERMES_KILL_AT: killAt }).ended).signal).toBe("SIGKILL");
    }
    await daemon.start(ENV);
    pigeon.say(DIRECT, "Ann", "last");
    const answers = () => texts(pigeon, DIRECT).map((text) => text.match(/\b(n\d|last)\b/)?.[0]);
    await until("all is answered", () => answers().includes("last"), { found: answers });
    await until("Pigeon knows what was received", () => pigeon.confirmed === pigeon.lastEvent);
    expect(answers()).toEqual(["n0", "n1", "n2", "last"]);
  }, 60_000);

  it("says so when no program brings the adapter along", async () => {
    const { daemon } = await pigeonWith("allow_from: [ann]");
    const plain = await new Daemon({ home: daemon.home }).start();
    const warned = plain.run.logged("the platform is switched on, but nothing here speaks to it");
    expect(warned).toMatchObject([{ platform: "pigeon" }]);
  });
});

describe("further platforms", () => {
  const named = (platform: string, account = "bot"): Adapter => ({
    platform,
    account,
    limits: { length: 1000, unit: "utf16" },
    connect: async () => undefined,
    disconnect: async () => undefined,
    health: () => ({ state: "down", lastProofAt: null }),
    send: async () => ({ messageIds: [] }),
  });

  it.each([
    ["a name that would break session keys", [named("my:chat")], "invalid"],
    ["the name of one that the gateway has", [named("telegram")], "conflict"],
    ["one bot twice", [named("pigeon"), named("pigeon")], "conflict"],
  ])("can't have %s", async (_, adapters, code) => {
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

  it("may be called over the HTTP port", async () => {
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
