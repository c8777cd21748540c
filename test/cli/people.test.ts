import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parsePerson } from "../../src/cli/people/parse-person.js";
import { namedIn } from "../../src/people/left-alone.js";
import { listMemories, memoryFiles } from "../../src/tools/memory-files.js";
import { Sweep } from "../../src/upkeep/sweep.js";
import { TestGateway } from "../support/gateway.js";
import { tempDir } from "../support/temp.js";
import { someHistory } from "./support/home.js";
import { runHermes } from "./support/run.js";

describe("a person's name", () => {
  it("is a platform and everything after the colon", () => {
    expect(parsePerson("Telegram:123")).toEqual({ platform: "telegram", userId: "123" });
    expect(parsePerson("webhook:webhook:ci")).toEqual({ platform: "webhook", userId: "webhook:ci" });
    for (const wrong of ["", "telegram", ":123", "telegram:"])
      expect(() => parsePerson(wrong)).toThrow(/Name a person/);
  });
});

describe("settings that name a person", () => {
  it("are those of their platform, and full names anywhere", () => {
    const config = {
      owners: ["telegram:42"],
      allow_from: ["42"],
      http: { port: 42 },
      platforms: { telegram: { allow_from: ["41", "42"] }, discord: { allow_from: ["42"] } },
    };
    expect(namedIn(config, { platform: "telegram", userId: "42" }, ["42"])).toEqual([
      "owners",
      "allow_from",
      "platforms.telegram.allow_from",
    ]);
  });
});

describe("notes of the agent", () => {
  it("belong to the person in the file's name", async () => {
    const folder = tempDir();
    const files = memoryFiles(folder);
    await files.change({ platform: "telegram", userId: "42" }, () => ["a"]);
    await files.change({ platform: "slack", userId: "U:1" }, () => ["b"]);
    const listed = await listMemories(folder);
    expect(listed.owners).toEqual([{ platform: "telegram", userId: "42" }]);
    const has = (platform: string, userId: string) => listed.has({ platform, userId });
    expect([has("telegram", "42"), has("slack", "U:1")]).toEqual([true, true]);
    expect([has("slack", "U_1"), has("slack", "42"), has("telegram", "43")]).toEqual([false, false, false]);
    expect((await listMemories(path.join(folder, "nowhere"))).owners).toEqual([]);
  });
});

describe("hermes people", () => {
  it("lists and erases a person with notes only", async () => {
    const home = await someHistory();
    const memory = memoryFiles(path.join(home, "memories"));
    await memory.change({ platform: "slack", userId: "U7" }, () => ["likes tea"]);
    // What a process left that was killed while it wrote.
    const abandoned = ["sessions/.transcript_0123456789ab.tmp", "memories/MEMORY.md.0123456789ab.tmp"];
    for (const name of abandoned) {
      fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
      fs.writeFileSync(path.join(home, name), "likes tea");
      fs.utimesSync(path.join(home, name), 1, 1);
    }
    const listed = await runHermes(home, ["people", "list"]);
    expect(listed.stdout).toMatch(/telegram:42 .* 1 .* 2 /);
    expect(listed.stdout).toMatch(/slack:U7 .*memory/);
    const erased = await runHermes(home, ["people", "erase", "slack:U7", "--yes", "--json"]);
    expect(JSON.parse(erased.stdout)).toMatchObject({ erased: true, counts: { memories: 1, sessions: 0 } });
    const left = fs.readdirSync(home, { recursive: true }).map(String);
    expect(left.filter((name) => name.includes("U7") || name.endsWith(".tmp"))).toEqual([]);
    expect(await runHermes(home, ["people", "erase", "slack:U7", "--yes"])).toMatchObject({ code: 1 });
    expect(await runHermes(home, ["people", "export", "slack:U7"])).toMatchObject({ code: 1 });
    expect(await runHermes(home, ["people", "erase", "nobody"])).toMatchObject({ code: 2 });
  });

  it("lists copies of the home without changing them", async () => {
    const home = await someHistory();
    expect((await runHermes(home, ["backup"])).code).toBe(0);
    fs.writeFileSync(path.join(home, "state.db.repair-20260101_000000"), "");
    fs.writeFileSync(path.join(home, "config.yaml"), "platforms: {telegram: {allow_from: [42]}}\n");
    const { stdout } = await runHermes(home, ["people", "erase", "telegram:42", "--yes"]);
    expect(stdout).toMatch(/backups\/hermes-/);
    expect(stdout).toMatch(/state\.db\.repair-/);
    expect(stdout).toMatch(/platforms\.telegram\.allow_from/);
    expect(stdout).toMatch(/Erased telegram:42/);
    expect(fs.readdirSync(path.join(home, "backups"))).toHaveLength(1);
  });
});

describe("a running gateway", () => {
  it.each<[string, (test: TestGateway) => Promise<unknown>]>([
    [
      "erased somebody",
      async ({ store }) =>
        store.erasePerson(await store.planErasure({ platform: "test", userId: "ann" }), "data"),
    ],
    [
      "deleted a session",
      async ({ store }) => {
        const {
          routes: [route],
        } = await store.listRoutes();
        await store.deleteSessions([route!.sessionId]);
      },
    ],
  ])("writes its routes anew when another process has %s", async (_, change) => {
    const test = await TestGateway.start();
    const ann = { chatType: "dm", chatId: "d1", userId: "ann" } as const;
    await test.ask(ann, "hello there");
    let told = 0;
    const sweep = new Sweep(
      {
        ...test.parts,
        routesChanged: () => {
          told += 1;
        },
      },
      () => false,
      () => undefined,
    );
    await sweep.run();
    expect(told).toBe(0);
    await change(test);
    await sweep.run();
    await sweep.run();
    expect(told).toBe(1);
  });
});
