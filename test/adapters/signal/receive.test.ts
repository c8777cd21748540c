import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { configSchema } from "../../../src/config/schema.js";
import { isolationOf } from "../../../src/rules.js";
import { sessionKey } from "../../../src/sessions/key.js";
import { NUMBER } from "../../emulators/signal/index.js";
import { setUp } from "./support.js";

const isolation = isolationOf(configSchema.parse({}));
const GROUP = "Zm9v/YmFy=";

describe("session keys", () => {
  it("are those of Hermes", async () => {
    const { emulator, inbox } = await setUp();
    const ann = emulator.person("Ann");
    emulator.say(ann, "one");
    emulator.say({ ...emulator.person("Ben"), number: null }, "two");
    emulator.say(ann, "three", GROUP);
    const keyOf = async (text: string) => sessionKey((await inbox.message(text)).origin, isolation);
    expect(await keyOf("one")).toBe(`agent:main:signal:dm:${ann.number}`);
    expect(await keyOf("two")).toBe("agent:main:signal:dm:11111111-0000-4000-8000-000000000002");
    expect(await keyOf("three")).toBe(`agent:main:signal:group:group:${GROUP}:${ann.uuid}`);
  });
});

describe("a message", () => {
  it("moves the conversation when its author hides the number", async () => {
    const { emulator, inbox, moves } = await setUp();
    const ann = emulator.person("Ann");
    emulator.say(ann, "before");
    await inbox.message("before");
    emulator.say({ ...ann, number: null }, "after");
    expect((await inbox.message("after")).origin.chatId).toBe(ann.uuid);
    expect(moves).toEqual([[ann.number, ann.uuid]]);
  });

  it("has its quote, its mentions and its file", async () => {
    const { emulator, inbox, home } = await setUp();
    const ann = emulator.person("Ann");
    emulator.files.set("f1", Buffer.from("hello"));
    const mentions = [{ name: "Ben", number: null, uuid: "u", start: 6, length: 1 }];
    const attachments = [{ id: "f1", contentType: "text/plain", filename: "note.txt", size: 5 }];
    const quote = { id: 5, authorNumber: NUMBER, text: "The roof" };
    emulator.say(ann, "greet \ufffc", GROUP, { mentions, attachments, quote });
    const message = await inbox.message("greet @Ben");
    expect(message).toMatchObject({ mentionsOthers: true, repliedToBot: true, quoted: { text: "The roof" } });
    expect(fs.readFileSync(path.join(home, message.attachments[0]!.path!), "utf8")).toBe("hello");
  });
});
