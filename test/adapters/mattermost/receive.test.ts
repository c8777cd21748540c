import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { configSchema } from "../../../src/config/schema.js";
import { isolationOf } from "../../../src/rules.js";
import { sessionKey } from "../../../src/sessions/key.js";
import { until } from "../../support/until.js";
import { setUp } from "./support.js";

const isolation = isolationOf(configSchema.parse({}));

describe("session keys", () => {
  it("are those of Hermes", async () => {
    const { emulator, inbox, ann, dm, town } = await setUp();
    const secrets = emulator.world.channel("P", "Secrets", [ann]);
    const root = emulator.world.post(town, ann, "root");
    emulator.say(dm, ann, "one");
    emulator.say(town, ann, "two");
    emulator.say(secrets, ann, "three");
    emulator.say(town, ann, "four", { root_id: root.id });
    await until("all are received", () => inbox.received.length === 4);
    const keys = new Map(inbox.received.map(({ text, origin }) => [text, sessionKey(origin, isolation)]));
    expect(keys.get("one")).toBe(`agent:main:mattermost:dm:${dm.id}`);
    expect(keys.get("two")).toBe(`agent:main:mattermost:channel:${town.id}:${ann.id}`);
    expect(keys.get("three")).toBe(`agent:main:mattermost:group:${secrets.id}:${ann.id}`);
    expect(keys.get("four")).toBe(`agent:main:mattermost:channel:${town.id}:${root.id}`);
  });
});

describe("a message", () => {
  it("in a thread has the root as its quote, until the bot has answered there", async () => {
    const { emulator, inbox, ann, town } = await setUp();
    const root = emulator.world.post(town, ann, "What about the **roof**?");
    emulator.say(town, ann, "@hermes help", { root_id: root.id });
    expect(await inbox.message("help")).toMatchObject({
      quoted: { text: "What about the **roof**?", messageId: root.id },
      threadWithBot: false,
    });
    emulator.world.post(town, emulator.world.bot, "Yes", { root_id: root.id });
    const other = emulator.world.post(town, emulator.world.bot, "A notice");
    emulator.say(town, ann, "why?", { root_id: other.id });
    expect(await inbox.message("why?")).toMatchObject({
      ...{ quoted: { text: "A notice" }, threadWithBot: true, repliedToBot: true },
    });
  });

  it("is answered in its own thread if configured", async () => {
    const { emulator, inbox, ann, town, dm } = await setUp({ replyInThread: true });
    const post = emulator.say(town, ann, "@hermes hi");
    emulator.say(dm, ann, "hello");
    expect((await inbox.message("hi")).origin.threadId).toBe(post.id);
    expect((await inbox.message("hello")).origin.threadId).toBeNull();
  });

  it("tells who is meant, and turns !status into a command", async () => {
    const { emulator, inbox, ann, town } = await setUp();
    emulator.world.user("bob");
    emulator.say(town, ann, "@hermes, look. Not hermes@example.org");
    emulator.say(town, ann, "@bob look");
    emulator.say(town, ann, "@hermes !status now");
    emulator.say(town, ann, "!unknown");
    await inbox.message("!unknown");
    expect(
      inbox.received.map(({ text, mentioned, mentionsOthers }) => [text, mentioned, mentionsOthers]),
    ).toEqual([
      [", look. Not hermes@example.org", true, undefined],
      ["@bob look", false, true],
      ["/status now", true, undefined],
      ["!unknown", false, undefined],
    ]);
  });

  it("of the bot itself, of the system or of another bot isn't a person's", async () => {
    const { emulator, inbox, ann, town } = await setUp();
    emulator.say(town, emulator.world.bot, "mine");
    emulator.say(town, ann, "ann joined", { type: "system_join_channel" });
    emulator.say(town, ann, "beep", { props: { from_bot: "true" } });
    expect((await inbox.message("beep")).isBot).toBe(true);
    expect(inbox.texts).toEqual(["beep"]);
  });

  it("has its files, with the reason for those that are too large", async () => {
    const { emulator, inbox, ann, dm, home } = await setUp();
    const small = emulator.world.file("note.txt", "text/plain", Buffer.from("hello"));
    const large = emulator.world.file("big.bin", "application/octet-stream", Buffer.alloc(2000));
    emulator.say(dm, ann, "look", { file_ids: [small.id, large.id] });
    const [first, second] = (await inbox.message("look")).attachments;
    expect(first).toMatchObject({ name: "note.txt", kind: "file", bytes: 5 });
    expect(fs.readFileSync(path.join(home, first!.path!), "utf8")).toBe("hello");
    expect(second?.problem).toMatch(/larger/);
  });
});

describe("what the socket missed", () => {
  it("is read from all channels, also from one that is new, with edits and deletions", async () => {
    const { emulator, inbox, adapter, ann, dm, town, connect } = await setUp();
    emulator.say(dm, ann, "before");
    const wrong = emulator.say(town, ann, "@hermes wrong");
    const gone = emulator.say(town, ann, "@hermes gone");
    await inbox.message("gone");
    await adapter.disconnect();
    emulator.edit(wrong, "@hermes right");
    emulator.remove(gone);
    emulator.say(emulator.dm(emulator.world.user("new")), ann, "first words");
    emulator.say(town, ann, "@hermes meanwhile");
    emulator.world.post(town, emulator.world.user("bob"), "nothing for the bot");
    await connect();
    await inbox.message("first words");
    await until(
      "the edit and the deletion are reported",
      () => inbox.edits.length + inbox.deletes.length === 2,
    );
    expect(inbox.edits).toMatchObject([{ messageId: wrong.id, text: "right" }]);
    expect(inbox.deletes).toMatchObject([{ messageId: gone.id }]);
    expect(inbox.received.find(({ text }) => text === "meanwhile")).toMatchObject({
      ...{ mentioned: true, origin: { userName: "ann", chatName: "Town Square" } },
    });
  });

  it("is read in pages where it is a lot", async () => {
    const { emulator, inbox, adapter, ann, dm, connect } = await setUp();
    emulator.say(dm, ann, "before");
    await inbox.message("before");
    await adapter.disconnect();
    for (let i = 0; i < 1300; i++) emulator.world.post(dm, ann, `m${i}`);
    await connect();
    await inbox.message("m1299");
    expect(inbox.texts.slice(1)).toEqual(Array.from({ length: 1300 }, (_, i) => `m${i}`));
  });

  it("is read if a sequence number is missing, and periodically", async () => {
    const { emulator, inbox, ann, dm, connect } = await setUp();
    const silently = (text: string) => emulator.world.post(dm, ann, text);
    silently("lost");
    emulator.sockets.skip();
    emulator.say(dm, ann, "after");
    await inbox.message("lost");
    await connect({ timing: { sweepMs: 20 } });
    silently("lost without a sign");
    await inbox.message("lost without a sign");
  });

  it("isn't read if catching up is disabled", async () => {
    const { emulator, inbox, adapter, ann, dm, connect } = await setUp({ catchUpMaxAgeSeconds: 0 });
    await adapter.disconnect();
    emulator.say(dm, ann, "meanwhile");
    await connect();
    emulator.say(dm, ann, "now");
    await inbox.message("now");
    expect(inbox.texts).toEqual(["now"]);
  });
});
