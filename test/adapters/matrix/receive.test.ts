import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { configSchema } from "../../../src/config/schema.js";
import { isolationOf } from "../../../src/rules.js";
import { sessionKey } from "../../../src/sessions/key.js";
import { BOT } from "../../emulators/matrix/index.js";
import { until } from "../../support/until.js";
import { ANN, setUp } from "./support.js";

const isolation = isolationOf(configSchema.parse({}));
const MENTION = { "m.mentions": { user_ids: [BOT] } };
const inThread = (root: string) => ({ "m.relates_to": { rel_type: "m.thread", event_id: root } });
const replyTo = (id: string) => ({ "m.relates_to": { "m.in_reply_to": { event_id: id } } });

describe("session keys", () => {
  it("are those of Hermes", async () => {
    const { emulator, inbox, dm, hall, connect, adapter } = await setUp();
    emulator.say(dm, ANN, "one");
    const two = emulator.say(hall, ANN, "two");
    emulator.say(hall, ANN, "three", inThread(two.event_id));
    emulator.say(dm, ANN, "four", inThread("$root"));
    await inbox.message("four");
    await adapter.disconnect();
    await connect({ replyInThread: false });
    emulator.say(hall, ANN, "five");
    await inbox.message("five");
    const keys = new Map(inbox.received.map(({ text, origin }) => [text, sessionKey(origin, isolation)]));
    expect(keys.get("one")).toBe(`agent:main:matrix:dm:${dm.id}`);
    expect(keys.get("two")).toBe(`agent:main:matrix:group:${hall.id}:${two.event_id}`);
    expect(keys.get("three")).toBe(`agent:main:matrix:group:${hall.id}:${two.event_id}`);
    expect(keys.get("four")).toBe(`agent:main:matrix:dm:${dm.id}:$root`);
    expect(keys.get("five")).toBe(`agent:main:matrix:group:${hall.id}:${ANN}`);
  });
});

describe("a message", () => {
  it("that replies has the quoted text, without the copy that old clients put before it", async () => {
    const { emulator, inbox, dm } = await setUp();
    const own = emulator.say(dm, BOT, "The roof is red.");
    emulator.say(dm, ANN, `> <${BOT}> The roof\n> is blue.\n\nreally?`, replyTo(own.event_id));
    expect(await inbox.message("really?")).toMatchObject({
      quoted: { text: "The roof is red.", messageId: own.event_id },
      repliedToBot: true,
    });
    emulator.say(dm, ANN, "> <@x:y> gone\n\nand this?", replyTo("$nowhere"));
    expect((await inbox.message("and this?")).quoted).toEqual({ text: "<@x:y> gone", messageId: "$nowhere" });
  });

  it("tells who is meant, and turns !status into a command", async () => {
    const { emulator, inbox, hall } = await setUp();
    emulator.say(hall, ANN, "Hermes, one", MENTION);
    emulator.say(hall, ANN, `${BOT}: two`);
    emulator.say(hall, ANN, "three", { "m.mentions": { user_ids: ["@ben:test.example"] } });
    emulator.say(hall, ANN, "Hermes: !status", MENTION);
    emulator.say(hall, ANN, "waves", { msgtype: "m.emote" });
    await inbox.message("* waves");
    expect(
      inbox.received.map(({ text, mentioned, mentionsOthers }) => [text, mentioned, mentionsOthers]),
    ).toEqual([
      ["one", true, undefined],
      ["two", true, undefined],
      ["three", false, true],
      ["/status", true, undefined],
      ["* waves", false, undefined],
    ]);
  });

  it("in a thread with the bot needs no mention, also after a restart", async () => {
    const { emulator, inbox, hall } = await setUp();
    const root = emulator.say(hall, ANN, "root");
    emulator.world.put(hall, BOT, "m.room.message", {
      msgtype: "m.text",
      body: "yes",
      ...inThread(root.event_id),
    });
    emulator.say(hall, ANN, "and now?", inThread(root.event_id));
    expect((await inbox.message("and now?")).threadWithBot).toBe(true);
  });

  it("has its file, and no key of an encrypted one", async () => {
    const { emulator, inbox, dm, home } = await setUp();
    emulator.world.media.set("f1", { type: "text/plain", content: Buffer.from("hello") });
    const info = { mimetype: "text/plain", size: 5 };
    const file = { msgtype: "m.file", filename: "note.txt", info, url: "mxc://test.example/f1" };
    emulator.say(dm, ANN, "look", file);
    const [first] = (await inbox.message("look")).attachments;
    expect(first).toMatchObject({ name: "note.txt", bytes: 5 });
    expect(fs.readFileSync(path.join(home, first!.path!), "utf8")).toBe("hello");
    emulator.say(dm, ANN, "secret", { ...file, url: undefined, file: { url: "mxc://a/b" } });
    expect((await inbox.message("secret")).attachments[0]?.problem).toMatch(/encrypted/);
  });

  it("can't be edited by another person", async () => {
    const { emulator, inbox, hall } = await setUp();
    const event = emulator.say(hall, ANN, "mine");
    emulator.edit(hall, { ...event, sender: "@ben:test.example" }, "yours");
    emulator.edit(hall, event, "still mine");
    await until("the edit is reported", () => inbox.edits.length > 0);
    expect(inbox.edits.map(({ text }) => text)).toEqual(["still mine"]);
  });
});

describe("syncs", () => {
  it("page through what is too long for one answer", async () => {
    const { emulator, inbox, adapter, dm, connect } = await setUp();
    emulator.say(dm, ANN, "before");
    await inbox.message("before");
    await adapter.disconnect();
    for (let i = 0; i < 300; i++) emulator.say(dm, ANN, `m${i}`);
    await connect();
    await inbox.message("m299");
    expect(inbox.texts.slice(1)).toEqual(Array.from({ length: 300 }, (_, i) => `m${i}`));
  });

  it("answer nothing from before the first one, and begin again if the server has forgotten the token", async () => {
    const { emulator, inbox, adapter, dm, connect, log } = await setUp();
    await adapter.disconnect();
    emulator.say(dm, ANN, "lost");
    emulator.forgotten = emulator.world.pos;
    await connect();
    emulator.say(dm, ANN, "now");
    await inbox.message("now");
    expect(inbox.texts).toEqual(["now"]);
    expect(log.join("\n")).toContain("no longer knows our sync token");
  });
});

describe("rooms", () => {
  it("with encryption are refused, with a message for the operator", async () => {
    const { emulator, adapter, dm, log } = await setUp();
    emulator.world.setState(dm, "m.room.encryption", { algorithm: "m.megolm.v1.aes-sha2" });
    emulator.world.put(dm, ANN, "m.room.encrypted", { ciphertext: "x" });
    emulator.world.put(dm, ANN, "m.room.encrypted", { ciphertext: "y" });
    await until("it is reported", () => adapter.health().detail?.includes("encrypted"));
    expect(adapter.health()).toMatchObject({ state: "ok", detail: expect.stringContaining(dm.id) });
    expect(log.filter((line) => line.includes("encrypted"))).toHaveLength(1);
    expect(emulator.said(dm)).toEqual([]);
  });

  it("are joined where an allowed person invites, and are direct if the invitation is", async () => {
    const { emulator, inbox, log } = await setUp({ isWanted: async ({ origin }) => origin.userId === ANN });
    const direct = emulator.invite(ANN, true);
    const other = emulator.invite("@mallory:test.example", false);
    await until("it is joined", () => direct.members.has(BOT));
    emulator.say(direct, ANN, "hi");
    expect((await inbox.message("hi")).origin.chatType).toBe("dm");
    await until("it is read", () => emulator.receipts.length === 1);
    expect(emulator.world.accountData.get("m.direct")?.content).toEqual({ [ANN]: [direct.id] });
    expect(other.members.has(BOT)).toBe(false);
    expect(log.join("\n")).toContain("isn't allowed");
  });
});
