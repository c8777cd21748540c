import fs from "node:fs";
import path from "node:path";
import { list } from "tar";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ErasureReport } from "../../src/cli/people/erase.js";
import { memoryFiles } from "../../src/tools/memory-files.js";
import { runHermes } from "../cli/support/run.js";
import { ModelServer } from "../emulators/model-server.js";
import { Daemon } from "../support/daemon.js";
import { PNG } from "../support/pictures.js";
import { platformsYaml, startPlatforms } from "../support/platforms.js";
import { tempDir } from "../support/temp.js";
import { until } from "../support/until.js";

const SECRET = "zanthorrhoea grows behind my house";
const IN_THE_ROOM = "quinquereme is the word that I chose";

/** Every byte under the home, but for copies that the report names. */
function bytesUnder(home: string): Map<string, Buffer> {
  const files = (fs.readdirSync(home, { recursive: true }) as string[])
    .filter((name) => !name.startsWith("backups"))
    .map((name) => path.join(home, name))
    .filter((file) => fs.statSync(file).isFile());
  return new Map(files.map((file) => [path.relative(home, file), fs.readFileSync(file)]));
}

const filesWith = (home: string, text: string) =>
  [...bytesUnder(home)].filter(([, bytes]) => bytes.includes(text)).map(([name]) => name);

describe("a person of the real daemon", () => {
  it("is listed, exported and erased while the daemon runs, without affecting others", async () => {
    const platforms = await startPlatforms();
    const { telegram } = platforms;
    const ann = telegram.users.person("Annabel", { id: 987650123 });
    const ben = telegram.users.person("Benjamin", { id: 987650456 });
    const dm = telegram.chats.privateWith(ann);
    const group = telegram.chats.make("group", { title: "Everybody" });
    const yaml = platformsYaml(platforms, { top: "group_sessions_per_user: false" });
    const daemon = await new Daemon({ yaml }).start();
    const answers = (chat: { id: number }, count: number) =>
      until(`${count} answers`, () => telegram.said(chat.id).length === count, {
        found: () => telegram.said(chat.id),
      });
    telegram.users.sendFile(dm, ann, "photo", { content: PNG, path: "photos/1.png" }, { caption: SECRET });
    const { message } = telegram.users.write(group, { from: ann, text: IN_THE_ROOM });
    await answers(group, 1);
    telegram.users.write(group, { from: ben, text: "a strange one", replyTo: message.message_id });
    telegram.users.writeDm(ben, "what I say in private");
    await answers(group, 2);
    await answers(dm, 1);
    await answers(telegram.chats.privateWith(ben), 1);
    const memory = memoryFiles(daemon.file("memories"));
    await memory.change({ platform: "telegram", userId: String(ann.id) }, () => ["likes quinqueremes"]);
    await memory.change({ platform: "telegram", userId: String(ben.id) }, () => ["likes boats"]);
    expect((await runHermes(daemon.home, ["backup"])).code).toBe(0);
    const her = `telegram:${ann.id}`;
    const run = async (...args: string[]) => {
      const ran = await runHermes(daemon.home, ["people", ...args]);
      return { ...ran, json: () => JSON.parse(ran.stdout) };
    };

    const people = (await run("list", "--json")).json();
    expect(people.find(({ person }: { person: string }) => person === her)).toMatchObject({
      ...{ names: ["Annabel"], sessions: 2, messages: 3, memory: true },
    });

    const to = path.join(tempDir(), "ann.tar.gz");
    expect((await run("export", her, "--to", to, "--json")).json()).toMatchObject({
      ...{ sessions: 1, messages: 2, sharedSessions: 1, sharedMessages: 1, memories: 1, files: 1 },
    });
    expect(fs.statSync(to).mode & 0o777).toBe(0o600);
    const names: string[] = [];
    await list({ file: to, onReadEntry: (entry) => names.push(entry.path) });
    expect(names).toEqual(
      expect.arrayContaining(["person.json", "sessions.jsonl", "shared.jsonl", "queues.json"]),
    );
    expect(names.filter((name) => /^(?:memory|media\/in)\/.+\.\w+$/.test(name))).toHaveLength(2);
    expect(await run("export", her, "--to", to)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/already exists/),
    });

    expect(await run("erase", her)).toMatchObject({ code: 1, stderr: expect.stringMatching(/--yes/) });
    const planned = (await run("erase", her, "--dry-run", "--json")).json() as ErasureReport;
    expect(planned.erased).toBe(false);
    expect(filesWith(daemon.home, SECRET)).not.toEqual([]);

    const report = (await run("erase", her, "--yes", "--json")).json() as ErasureReport;
    expect(report).toMatchObject({
      person: her,
      erased: true,
      counts: { ...planned.counts, sessions: 1, messages: 2, redactedMessages: 2, memories: 1, files: 1 },
      left: { gatewayRuns: true, copies: [expect.stringMatching(/backups\/hermes-/)] },
      scrubbed: { rewritten: false },
    });
    expect((await run("list", "--json")).json().map(({ person }: { person: string }) => person)).toEqual([
      `telegram:${ben.id}`,
    ]);
    expect(fs.readdirSync(daemon.file("media/in"))).toEqual([]);
    expect(await memory.read({ platform: "telegram", userId: String(ben.id) })).toEqual(["likes boats"]);
    const shown = await runHermes(daemon.home, ["sessions", "search", "quinquereme"]);
    expect(shown.stdout).not.toContain("quinquereme is");

    telegram.users.write(group, { from: ben, text: "are you still there" });
    telegram.users.writeDm(ben, "and here as well");
    await answers(group, 3);
    await answers(telegram.chats.privateWith(ben), 2);
    expect(telegram.said(dm.id)).toHaveLength(1);

    // With the file to itself, a second run writes it anew.
    await daemon.stop();
    const again = await run("erase", her, "--yes");
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/rewritten/) });
    for (const text of [SECRET, IN_THE_ROOM, "Annabel", String(ann.id)])
      expect({ text, files: filesWith(daemon.home, text) }).toEqual({ text, files: [] });
    expect(filesWith(daemon.home, "a strange one")).not.toEqual([]);
    expect(await run("erase", her, "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Nothing is stored/),
    });

    // Everything is in order for those who stay.
    await daemon.start();
    telegram.users.write(group, { from: ben, text: "a last question" });
    await answers(group, 4);
  }, 120_000);

  it("isn't erased while the agent answers them", async () => {
    const platforms = await startPlatforms();
    const { telegram } = platforms;
    const model = await ModelServer.start();
    onTestFinished(() => model.close());
    model.script({ text: ["Let me see", "…"], stallAfter: 1 });
    const top = `model: {provider: openai-compatible, base_url: "${model.url}", default: m}`;
    const daemon = await new Daemon({ yaml: platformsYaml(platforms, { top }) }).start();
    const ann = telegram.users.person("Annabel");
    telegram.users.writeDm(ann, "think about it for long");
    await until("the model is asked", () => model.requests.length > 0);
    const refused = await runHermes(daemon.home, ["people", "erase", `telegram:${ann.id}`, "--yes"]);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/currently answering this person/),
    });
    await daemon.kill();
    // A turn of a dead gateway doesn't count as running.
    const erased = await runHermes(daemon.home, ["people", "erase", `telegram:${ann.id}`, "--yes"]);
    expect(erased).toMatchObject({ code: 0 });
    expect(filesWith(daemon.home, "think about it")).toEqual([]);
  }, 120_000);
});
