import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TelegramAdapter } from "../../../src/adapters/telegram/index.js";
import type { InboundMessage, OutboundFile } from "../../../src/message.js";
import type { EmulatedChat, Person } from "../../emulators/telegram/index.js";
import { PNG } from "../../support/pictures.js";
import { send } from "../../support/send.js";
import { Bench, outbound, patience, until } from "./support.js";

let bench: Bench;
let home: string;
let adapter: TelegramAdapter;
let ann: Person;
let dm: EmulatedChat;

beforeEach(async () => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), "hermes-telegram-"));
  bench = new Bench();
  await bench.emulator.start();
  adapter = await connected(8000);
  ann = bench.emulator.users.person("Ann");
  dm = bench.emulator.chats.privateWith(ann);
});

afterEach(async () => {
  await bench.close();
  fs.rmSync(home, { recursive: true });
});

function connected(downloadMs: number): Promise<TelegramAdapter> {
  const media = {
    home,
    folder: "media/telegram",
    maxBytes: 1000,
    mayFetch: async (message: InboundMessage) => message.origin.userId !== "666",
  };
  return bench.connected({ media, timing: { downloadMs, besideFilesMs: 50 } });
}

async function received() {
  await until("it is received", () => bench.gateway.received.length === 1);
  return bench.gateway.received[0]!;
}

describe("an incoming file", () => {
  it("is stored in the home under a generated name, with its real type", async () => {
    const file = {
      content: PNG,
      path: "documents/file_1.exe",
      name: "x.exe",
    };
    bench.emulator.users.sendFile(dm, ann, "document", file, { caption: "look" });
    const { text, attachments } = await received();
    const [attachment] = attachments;
    expect(text).toBe("look");
    expect(attachment).toMatchObject({
      kind: "image",
      mimeType: "image/png",
      bytes: PNG.length,
      name: "x.exe",
    });
    expect(attachment?.path).toMatch(/^media\/telegram\/[0-9a-f-]{36}\.png$/);
    expect(fs.readFileSync(path.join(home, attachment!.path!))).toEqual(PNG);
    expect(fs.statSync(path.join(home, attachment!.path!)).mode & 0o777).toBe(0o600);
  });

  it("is confirmed only when it has been downloaded", async () => {
    bench.emulator.faults.delayMs = 100;
    bench.emulator.users.sendFile(dm, ann, "photo", { content: PNG, path: "photos/1.png" });
    await until("it is being fetched", () => bench.emulator.callsOf("getFile").length === 1);
    expect(bench.emulator.updates.pending).toHaveLength(1);
    expect((await received()).attachments[0]).toMatchObject({ kind: "image" });
  });

  it("delays only its own chat while it is downloaded, and nothing behind it is confirmed", async () => {
    bench.emulator.faults.slowFiles = true;
    const ben = bench.emulator.users.person("Ben");
    bench.emulator.users.writeDm(ben, "before");
    bench.emulator.users.sendFile(dm, ann, "photo", { content: PNG, path: "photos/1.png" });
    bench.emulator.users.writeDm(ann, "what is it?");
    bench.emulator.users.writeDm(ben, "beside");
    await until("others are heard", () => bench.gateway.texts.length === 2);
    bench.emulator.users.writeDm(ben, "later");
    await until("others are heard again", () => bench.gateway.texts.length === 3);
    expect(bench.gateway.texts).toEqual(["before", "beside", "later"]);
    expect(bench.emulator.updates.pending).toHaveLength(4);
    bench.emulator.faults.slowFiles = false;
    await until("all is confirmed", () => bench.emulator.updates.pending.length === 0);
    expect(bench.gateway.texts).toEqual(["before", "beside", "later", "", "what is it?"]);
    expect(bench.gateway.received[3]!.attachments[0]).toMatchObject({ kind: "image" });
    expect(bench.gateway.attempts).toBe(5);
    expect(bench.emulator.callsOf("getFile")).toHaveLength(1);
  });

  it("doesn't block its chat after the download timed out", async () => {
    await adapter.disconnect();
    await connected(300);
    bench.emulator.faults.slowFiles = true;
    bench.emulator.users.sendFile(dm, ann, "photo", { content: PNG, path: "photos/1.png" });
    bench.emulator.users.writeDm(ann, "what is it?");
    await until("all is confirmed", () => bench.emulator.updates.pending.length === 0);
    expect(bench.gateway.texts).toEqual(["", "what is it?"]);
    expect(bench.gateway.received[0]!.attachments[0]?.problem).toBeDefined();
  });

  it("is left to the next start if the gateway stops during the download", async () => {
    bench.emulator.faults.slowFiles = true;
    bench.emulator.users.sendFile(dm, ann, "photo", { content: PNG, path: "photos/1.png" });
    await until("it is being fetched", () => bench.emulator.callsOf("getFile").length === 1);
    await adapter.disconnect();
    expect(bench.gateway.attempts).toBe(0);
    expect(bench.emulator.updates.pending).toHaveLength(1);
  });

  it.each([
    ["larger than it may be", { content: PNG, claimedBytes: 5000 }],
    ["larger than it claims", { content: Buffer.alloc(5000), claimedBytes: 10 }],
  ])("is named but not fetched when it is %s", async (_, file) => {
    bench.emulator.users.sendFile(dm, ann, "document", { ...file, path: "docs/1", name: "big.bin" });
    const [attachment] = (await received()).attachments;
    expect(attachment).toMatchObject({ name: "big.bin", problem: expect.stringContaining("larger") });
    expect(attachment?.path).toBeUndefined();
    const folder = path.join(home, "media/telegram");
    expect(fs.existsSync(folder) ? fs.readdirSync(folder) : []).toEqual([]);
  });

  it.each(["/etc/passwd", "../../etc/passwd"])("is not downloaded from %s", async (outside) => {
    bench.emulator.users.sendFile(dm, ann, "document", { content: PNG, path: outside });
    expect((await received()).attachments[0]?.problem).toBeDefined();
  });

  it("of an unauthorised person is named but not downloaded", async () => {
    const stranger = bench.emulator.users.person("Stranger", { id: 666 });
    bench.emulator.users.sendFile(bench.emulator.chats.privateWith(stranger), stranger, "document", {
      content: PNG,
      path: "docs/1",
    });
    expect((await received()).attachments[0]?.problem).toContain("not fetched");
    expect(bench.emulator.callsOf("getFile")).toEqual([]);
  });

  it("that can't be downloaded doesn't block its message", async () => {
    bench.emulator.faults.dropBefore("getFile");
    bench.emulator.users.sendFile(dm, ann, "voice", { content: PNG, path: "voice/1.ogg" }, { caption: "hi" });
    const { text, attachments } = await received();
    expect(text).toBe("hi");
    expect(attachments).toMatchObject([{ kind: "audio", problem: "It could not be fetched" }]);
  });
});

describe("an outgoing file", () => {
  const copy = (name: string, mimeType: string, content: Buffer | string = PNG): OutboundFile => {
    fs.mkdirSync(path.join(home, "media/sent"), { recursive: true });
    fs.writeFileSync(path.join(home, "media/sent", name), content);
    return { name, path: `media/sent/${name}`, mimeType, bytes: content.length };
  };
  const sendFiles = (files: OutboundFile[], text = "Here:") =>
    send(adapter, outbound({ chatId: String(dm.id) }, text, { files }), patience());

  it("follows the text; a picture is sent as a photo", async () => {
    const receipt = await sendFiles([copy("plot.png", "image/png"), copy("data.csv", "text/csv", "a,b\n")]);
    expect(receipt.messageIds).toHaveLength(3);
    expect(bench.emulator.said(dm.id).map(({ text, file }) => [text, file?.method, file?.name])).toEqual([
      ["Here:", undefined, undefined],
      ["", "sendPhoto", "plot.png"],
      ["", "sendDocument", "data.csv"],
    ]);
  });

  it("is sent as the kind that the answer asks for", async () => {
    const asDocument = { ...copy("plot.png", "image/png"), as: "document" as const };
    const asVoice = { ...copy("word.mp3", "audio/mpeg"), as: "voice" as const };
    await sendFiles([asDocument, copy("song.mp3", "audio/mpeg"), asVoice]);
    const methods = bench.emulator.said(dm.id).map(({ file }) => file?.method);
    expect(methods).toEqual([undefined, "sendDocument", "sendAudio", "sendVoice"]);
  });

  it("is sent as a document when Telegram refuses it as a photo", async () => {
    bench.emulator.faults.fail("sendPhoto", 400, "Bad Request: PHOTO_INVALID_DIMENSIONS");
    await sendFiles([copy("long.png", "image/png")]);
    expect(bench.emulator.said(dm.id).at(-1)?.file).toMatchObject({
      method: "sendDocument",
      bytes: PNG.length,
    });
  });

  it("that no longer exists is replaced by a note", async () => {
    await sendFiles([{ name: "old.txt", path: "media/sent/none", mimeType: "text/plain", bytes: 1 }]);
    const texts = bench.emulator.said(dm.id).map(({ text }) => text);
    expect(texts).toEqual(["Here:", expect.stringMatching(/old\.txt was not sent/)]);
  });

  it("can be sent without a text", async () => {
    await sendFiles([copy("data.csv", "text/csv", "a,b\n")], "");
    expect(bench.emulator.said(dm.id)).toMatchObject([{ file: { name: "data.csv" } }]);
  });
});
