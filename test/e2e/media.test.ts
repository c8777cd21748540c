import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runHermes } from "../cli/support/run.js";
import { Daemon } from "../support/daemon.js";
import { PNG } from "../support/pictures.js";
import { platformsYaml, startPlatforms } from "../support/platforms.js";
import { until } from "../support/until.js";
import { WebClient } from "../support/web-client.js";

/** The real daemon: files from people to the agent, and back. The echo agent repeats its input, tags included. */

function putOut(daemon: Daemon, name: string): string {
  fs.mkdirSync(daemon.file("media/out"), { recursive: true });
  fs.writeFileSync(daemon.file("media/out", name), PNG);
  return daemon.file("media/out", name);
}

describe("files through the real daemon", () => {
  it("are received on every platform, under generated names", async () => {
    const platforms = await startPlatforms();
    const { telegram, discord, slack } = platforms;
    const daemon = await new Daemon({ yaml: platformsYaml(platforms) }).start();
    const ann = telegram.users.person("Ann");
    const chat = telegram.chats.privateWith(ann);
    telegram.users.sendFile(chat, ann, "photo", { content: PNG, path: "photos/1.png" }, { caption: "on t" });
    const bob = discord.user("Bob");
    const dm = discord.dm(bob);
    discord.say(bob, dm, "on d", { files: [{ name: "a.png", contentType: "image/png", bytes: PNG }] });
    slack.say({ channel: "D1", user: "U1", text: "on s", files: [{ name: "a.png", content: PNG }] });
    const said = () => [
      ...telegram.said(chat.id).map(({ text }) => text),
      ...discord.said(dm).map(({ text }) => text),
      ...slack.workspace.all("D1").flatMap(({ user, text }) => (user === "U1" ? [] : [text])),
    ];
    await until(
      "all three were seen",
      () => said().filter((t) => t.includes("1 picture seen")).length === 3,
      {
        found: said,
      },
    );
    const kept = fs.readdirSync(daemon.file("media/in"));
    expect(kept).toHaveLength(3);
    for (const name of kept) expect(name).toMatch(/^[0-9a-f-]{36}\.png$/);
  });

  it("of an album are one question, however long each of them takes", async () => {
    const platforms = await startPlatforms();
    const { telegram } = platforms;
    const ann = telegram.users.person("Ann");
    const chat = telegram.chats.privateWith(ann);
    telegram.faults.delayMs = 400;
    for (const caption of ["what are these?", undefined, undefined]) {
      const writing = { ...(caption ? { caption } : {}), fields: { media_group_id: "7" } };
      telegram.users.sendFile(chat, ann, "photo", { content: PNG, path: "photos/1.png" }, writing);
    }
    await new Daemon({ yaml: platformsYaml(platforms) }).start();
    const said = () => telegram.said(chat.id).map(({ text }) => text);
    await until("it is answered", () => said().some((text) => text.includes("seen")), { found: said });
    expect(said()).toEqual([expect.stringContaining("3 pictures seen")]);
  });

  it("are sent on every platform", async () => {
    const platforms = await startPlatforms();
    const { telegram, discord, slack } = platforms;
    const daemon = await new Daemon({ yaml: platformsYaml(platforms) }).start();
    putOut(daemon, "plot.png");
    const ann = telegram.users.person("Ann");
    const chat = telegram.chats.privateWith(ann);
    telegram.users.write(chat, { from: ann, text: "MEDIA:media/out/plot.png" });
    const bob = discord.user("Bob");
    const dm = discord.dm(bob);
    discord.say(bob, dm, "MEDIA:media/out/plot.png");
    slack.say({ channel: "D1", user: "U1", text: "MEDIA:media/out/plot.png" });
    const found = () => [
      telegram.said(chat.id).flatMap(({ file }) => file ?? []),
      discord.said(dm).flatMap(({ files }) => files),
      slack.workspace.all("D1").flatMap(({ files }) => files),
    ];
    await until("all three have it", () => found().every((files) => files.length > 0), { found });
    expect(found()).toMatchObject([
      [{ method: "sendPhoto", name: "plot.png", bytes: PNG.length }],
      [{ name: "plot.png", bytes: PNG.length }],
      [{ name: "plot.png" }],
    ]);
  });

  it("are sent once though the daemon dies between the commit and the send, and the original is gone", async () => {
    const platforms = await startPlatforms();
    const { telegram } = platforms;
    const daemon = new Daemon({ yaml: platformsYaml(platforms) });
    await daemon.start({ HERMES_KILL_AT: "turn-committed:1" });
    const original = putOut(daemon, "plot.png");
    const ann = telegram.users.person("Ann");
    const chat = telegram.chats.privateWith(ann);
    telegram.users.write(chat, { from: ann, text: "MEDIA:media/out/plot.png" });
    await daemon.run.ended;
    fs.rmSync(original);
    await daemon.start();
    const files = () => telegram.said(chat.id).flatMap(({ file }) => file ?? []);
    await until("it has arrived", () => files().length > 0);
    telegram.users.write(chat, { from: ann, text: "and then?" });
    await until("the next is answered", () =>
      telegram.said(chat.id).some(({ text }) => text.includes("and then?")),
    );
    expect(files()).toMatchObject([{ name: "plot.png", bytes: PNG.length }]);
  });

  it("are shown in their own web chat only, and refusals are in the trace", async () => {
    const daemon = await new Daemon().start();
    putOut(daemon, "plot.png");
    const ann = new WebClient(daemon.url);
    await ann.send("MEDIA:media/out/plot.png");
    await ann.told("answer");
    const entry = (await ann.log()).find(({ from }) => from === "bot")!;
    expect(entry.files).toMatchObject([{ name: "plot.png", mimeType: "image/png", bytes: PNG.length }]);
    const address = `files/${entry.id.replace("out:", "")}/0`;
    const response = await ann.fetch(address);
    expect(response.headers.get("content-type")).toBe("image/png");
    expect(Buffer.from(await response.arrayBuffer())).toEqual(PNG);
    expect((await new WebClient(daemon.url).fetch(address)).status).toBe(404);
    expect((await ann.fetch(address.replace("/0", "/1"))).status).toBe(404);

    const id = await ann.send("MEDIA:/etc/hosts.txt");
    const [, refusal] = await ann.told("answer", 2);
    expect(refusal).toMatch(/hosts\.txt was not sent/);
    const { stdout } = await runHermes(daemon.home, ["trace", id]);
    expect(stdout).toMatch(/file hosts\.txt \(not sent: /);
    expect(path.isAbsolute(stdout.match(/\S*hosts\.txt/)![0])).toBe(false);
  });
});
