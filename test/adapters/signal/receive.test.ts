import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { EventLines } from "../../../src/adapters/signal/stream.js";
import { configSchema } from "../../../src/config/schema.js";
import { isolationOf } from "../../../src/rules.js";
import { sessionKey } from "../../../src/sessions/key.js";
import { NUMBER, OWN_UUID } from "../../emulators/signal/index.js";
import { until } from "../../support/until.js";
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

describe("a person who hides their number", () => {
  it("keeps their conversation, and their place in the access lists", async () => {
    const { emulator, inbox, moves } = await setUp();
    const ann = emulator.person("Ann");
    emulator.say(ann, "before");
    await inbox.message("before");
    emulator.say({ ...ann, number: null }, "after");
    const { origin } = await inbox.message("after");
    expect(origin).toMatchObject({ chatId: ann.uuid, userId: ann.number, userIdAlt: ann.uuid });
    expect(moves).toEqual([[ann.number, ann.uuid]]);
    emulator.say({ ...ann, number: null }, "in a group", GROUP);
    expect((await inbox.message("in a group")).origin).toMatchObject({ userId: ann.number });
    expect(moves).toHaveLength(1);
  });
});

describe("a message", () => {
  it("has its quote, its mentions, its group's id and its file", async () => {
    const { emulator, inbox, home } = await setUp();
    const ann = emulator.person("Ann");
    emulator.files.set("f1", Buffer.from("hello"));
    const mentions = [{ name: "Ben", number: null, uuid: "u", start: 6, length: 1 }];
    const attachments = [{ id: "f1", contentType: "text/plain", filename: "note.txt", size: 5 }];
    const quote = { id: 5, authorNumber: NUMBER, text: "The roof" };
    emulator.say(ann, "greet \ufffc", GROUP, { mentions, attachments, quote });
    const message = await inbox.message("greet @Ben");
    expect(message).toMatchObject({ mentionsOthers: true, repliedToBot: true, quoted: { text: "The roof" } });
    expect(message.origin.chatIdAlt).toBe(GROUP);
    expect(fs.readFileSync(path.join(home, message.attachments[0]!.path!), "utf8")).toBe("hello");
  });

  it("names the file that it quotes", async () => {
    const { emulator, inbox } = await setUp();
    const quote = { id: 5, authorNumber: NUMBER, text: null, attachments: [{ contentType: "image/png" }] };
    emulator.say(emulator.person("Ann"), "nice", undefined, { quote });
    expect((await inbox.message("nice")).quoted?.text).toBe("[image]");
  });

  it("mentions the bot by its uuid, or by its typed number", async () => {
    const { emulator, inbox } = await setUp();
    const ann = emulator.person("Ann");
    const mentions = [{ name: "Hermes", number: null, uuid: OWN_UUID, start: 4, length: 1 }];
    emulator.say(ann, "hey \ufffc one", GROUP, { mentions });
    expect((await inbox.message("hey  one")).mentioned).toBe(true);
    emulator.say(ann, `@${NUMBER} two`, GROUP);
    expect((await inbox.message("two")).mentioned).toBe(true);
    emulator.say(ann, "three", GROUP);
    expect((await inbox.message("three")).mentioned).toBe(false);
  });

  it("too large or missing is named, and says why", async () => {
    const { emulator, inbox } = await setUp();
    const attachments = [
      { id: "big", contentType: "image/png", filename: "big.png", size: 5000 },
      { id: "gone", contentType: "image/png", filename: "gone.png", size: 5 },
    ];
    emulator.say(emulator.person("Ann"), "look", undefined, { attachments });
    const found = (await inbox.message("look")).attachments;
    expect(found.map(({ name, path: kept }) => [name, kept])).toEqual([
      ["big.png", undefined],
      ["gone.png", undefined],
    ]);
    for (const { problem } of found) expect(problem).toMatch(/\w/);
  });

  it("is marked as read if it is answered, unless that is switched off", async () => {
    const { emulator, inbox } = await setUp();
    const ann = emulator.person("Ann");
    const timestamp = emulator.say(ann, "one");
    await until("it is read", () => emulator.receipts.length === 1);
    expect(emulator.receipts).toMatchObject([
      { recipient: ann.number, targetTimestamp: [timestamp], type: "read" },
    ]);
    await inbox.message("one");
    const quiet = await setUp({ sendReadReceipts: false });
    quiet.emulator.say(ann, "two");
    quiet.emulator.say(ann, "three");
    await quiet.inbox.message("three");
    expect(quiet.emulator.receipts).toEqual([]);
  });
});

describe("the account's owner", () => {
  it("talks to the bot in Note to Self and in groups, from another device", async () => {
    const { emulator, inbox } = await setUp();
    const owner = { number: NUMBER, uuid: OWN_UUID, name: "Me" };
    const sync = (text: string, more: object) =>
      emulator.deliver(owner, {
        syncMessage: { sentMessage: { timestamp: emulator.now(), message: text, ...more } },
      });
    sync("to Ben", { destinationNumber: "+15550201111" });
    sync("note", { destinationNumber: NUMBER });
    sync("all", { groupInfo: { groupId: GROUP } });
    expect((await inbox.message("note")).origin).toMatchObject({ chatType: "dm", chatId: NUMBER });
    expect((await inbox.message("all")).origin).toMatchObject({ chatId: `group:${GROUP}`, userId: NUMBER });
    expect(inbox.texts).not.toContain("to Ben");
  });
});

describe("a stop", () => {
  it("keeps what has come, because signal-cli doesn't give it again", async () => {
    const { emulator, inbox, adapter } = await setUp();
    const ann = emulator.person("Ann");
    inbox.hold();
    for (const text of ["one", "two", "three"]) emulator.say(ann, text);
    await until("the first is offered", () => inbox.offered.length > 0);
    await until("all were written", () => emulator.written === 3);
    const ended = adapter.disconnect();
    inbox.letIn();
    await ended;
    expect(inbox.texts).toEqual(["one", "two", "three"]);
  });
});

describe("the stream", () => {
  const eventsIn = (pieces: readonly string[]) => {
    const events: string[] = [];
    const lines = new EventLines((data) => events.push(data));
    for (const piece of pieces) lines.add(piece);
    return events;
  };

  it("is cut into events wherever its pieces end", () => {
    expect(eventsIn([":\n", "event:receive\nda", 'ta:{"a":1}\r\n\r', "\n", ":\n\n", "data: 2\n\n"])).toEqual([
      '{"a":1}',
      "2",
    ]);
  });

  it("ends if an event is too long", () => {
    expect(() => eventsIn(["x".repeat(5_000_000)])).toThrow("too long");
    expect(() => eventsIn(Array.from({ length: 50 }, () => `data:${"x".repeat(100_000)}\n`))).toThrow(
      "too long",
    );
  });
});
