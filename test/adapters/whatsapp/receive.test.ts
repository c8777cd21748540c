import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { normalise } from "../../../src/adapters/whatsapp/normalise.js";
import type { WaMessage } from "../../../src/adapters/whatsapp/port.js";
import { isolationFromConfig, sessionKey } from "../../../src/sessions/key.js";
import { readAliasFrom } from "../../../src/sessions/whatsapp-identity.js";
import { SELF } from "../../emulators/whatsapp/index.js";
import { send } from "../../support/send.js";
import { until } from "../../support/until.js";
import { outbound, patience, setUp } from "./support.js";

const CONTEXT = { account: "whatsapp", self: SELF, mode: "bot", nowSeconds: 1 } as const;
const DM = { remoteJid: "15551112222@s.whatsapp.net", fromMe: false, id: "A1" };
const GROUP = { remoteJid: "120363000000000001@g.us", participant: "200000000000001@lid", id: "A1" };

function read(message: unknown, key: WaMessage["key"] = DM) {
  const happening = normalise({ key, message, messageTimestamp: 7 }, CONTEXT);
  return happening?.kind === "said" ? happening.message : undefined;
}

describe("a message of WhatsApp", () => {
  it.each([
    ["a text", { conversation: "hi" }, "hi"],
    [
      "a text with a link",
      { extendedTextMessage: { text: "see https://a.example" } },
      "see https://a.example",
    ],
    ["a disappearing text", { ephemeralMessage: { message: { conversation: "hi" } } }, "hi"],
    [
      "a document with a caption",
      { documentWithCaptionMessage: { message: { documentMessage: { caption: "read it" } } } },
      "read it",
    ],
    ["a pressed button", { buttonsResponseMessage: { selectedDisplayText: "Yes" } }, "Yes"],
    [
      "a place",
      { locationMessage: { degreesLatitude: 1.5, degreesLongitude: -2, name: "Home" } },
      "Location: 1.5, -2 (Home)",
    ],
    [
      "a contact",
      { contactMessage: { displayName: "Ben", vcard: "BEGIN:VCARD\nTEL;type=CELL:+1 555 3\nEND:VCARD" } },
      "Contact: Ben, +1 555 3",
    ],
    [
      "a poll",
      { pollCreationMessageV3: { name: "When?", options: [{ optionName: "now" }, { optionName: "later" }] } },
      "Poll: When?\n- now\n- later",
    ],
  ])("has a text: %s", (_, message, text) => {
    expect(read(message)?.text).toBe(text);
  });

  it("has its file's kind, name and size", () => {
    const long = { toString: () => "1234" };
    const message = {
      documentMessage: { mimetype: "application/pdf", fileName: "../a.pdf", fileLength: long },
    };
    expect(read(message)?.attachments).toEqual([
      { kind: "file", name: "a.pdf", mimeType: "application/pdf", bytes: 1234 },
    ]);
    expect(read({ audioMessage: { mimetype: "audio/ogg; codecs=opus", ptt: true } })?.attachments).toEqual([
      { kind: "audio", mimeType: "audio/ogg" },
    ]);
  });

  it.each([
    ["our lid", { mentionedJid: [SELF.lid] }, "@900000000000001 hi"],
    ["our number on one device", { mentionedJid: ["15550000001:3@s.whatsapp.net"] }, "hi @15550000001"],
    ["our number in the text", {}, "@15550000001 hi"],
  ])("mentions us by %s, which is taken out", (_, contextInfo, text) => {
    const message = read({ extendedTextMessage: { text, contextInfo } }, GROUP);
    expect(message).toMatchObject({ mentioned: true, text: "hi" });
  });

  it("tells mentions of others, and a longer number, from ours", () => {
    const contextInfo = { mentionedJid: ["15559999999@s.whatsapp.net"] };
    expect(read({ extendedTextMessage: { text: "@15559999999 hi", contextInfo } }, GROUP)).toMatchObject({
      mentioned: false,
      mentionsOthers: true,
    });
    expect(read({ conversation: "@155500000012 hi" }, GROUP)?.mentioned).toBe(false);
  });

  it("has what it replies to", () => {
    const contextInfo = { stanzaId: "B2", participant: SELF.lid, quotedMessage: { conversation: "before" } };
    const quoted = { text: "before", messageId: `B2/${SELF.lid}` };
    expect(read({ extendedTextMessage: { text: "so", contextInfo } }, GROUP)).toMatchObject({
      repliedToBot: true,
      quoted,
    });
    expect(read({ extendedTextMessage: { text: "so", contextInfo } })?.quoted?.messageId).toBe("B2");
  });

  it("names the author in a group, so that only they can change it", () => {
    const edit = { protocolMessage: { key: { id: "A1" }, type: 14, editedMessage: { conversation: "new" } } };
    const by = (participant: string) => normalise({ key: { ...GROUP, participant }, message: edit }, CONTEXT);
    expect(read({ conversation: "hi" }, GROUP)?.origin.messageId).toBe("A1/200000000000001@lid");
    expect(by(GROUP.participant)).toMatchObject({
      edit: { messageId: "A1/200000000000001@lid", text: "new" },
    });
    expect(by("200000000000002@lid")).toMatchObject({ edit: { messageId: "A1/200000000000002@lid" } });
  });

  it("of any depth is read or skipped", () => {
    let message: object = { conversation: "deep" };
    for (let depth = 0; depth < 1000; depth++) message = { ephemeralMessage: { message } };
    expect(read(message)).toBeUndefined();
  });
});

describe("the linked device", () => {
  it("gives a person one session, under a number or a lid", async () => {
    const { emulator, inbox, ann, home, connect } = await setUp();
    await connect();
    const keyOf = async (text: string) =>
      sessionKey((await inbox.message(text)).origin, isolationFromConfig(), {
        readAlias: readAliasFrom(home),
      });
    emulator.say({ with: ann }, ann, "by lid");
    expect(await keyOf("by lid")).toBe(`agent:main:whatsapp:dm:${ann.number}`);
    const key = { remoteJid: `${ann.lid}@lid`, fromMe: false, id: "L1" };
    emulator.raw({ key, message: { conversation: "lid alone" }, messageTimestamp: 1 });
    expect(await keyOf("lid alone")).toBe(`agent:main:whatsapp:dm:${ann.number}`);
    const group = emulator.group("Garden");
    emulator.say({ group }, ann, "in a group");
    expect(await keyOf("in a group")).toBe(`agent:main:whatsapp:group:${group.jid}:${ann.number}`);
  });

  it("downloads files, and says why one is missing", async () => {
    const { emulator, inbox, ann, home, connect } = await setUp();
    await connect();
    const url = emulator.upload("a.txt", Buffer.from("hello"));
    const file = (caption: string, from: string) =>
      emulator.write({ with: ann }, ann, {
        documentMessage: { caption, url: from, mimetype: "text/plain", fileName: "a.txt", fileLength: 5 },
      });
    file("here", url);
    const [there] = (await inbox.message("here")).attachments;
    expect(fs.readFileSync(path.join(home, there!.path!), "utf8")).toBe("hello");
    file("gone", `${url}.gone`);
    expect((await inbox.message("gone")).attachments).toMatchObject([{ problem: "It could not be fetched" }]);
  });

  it("answers the owner's notes to themself in self-chat mode, and nothing else", async () => {
    const { emulator, inbox, ann, connect } = await setUp();
    const adapter = await connect({ mode: "self-chat", replyPrefix: "⚕ " });
    const group = emulator.group("Garden");
    emulator.say({ with: ann }, ann, "from another");
    emulator.say({ with: ann }, "self", "to another");
    emulator.say({ group }, "self", "to a group");
    const key = emulator.say({ self: true }, "self", "to myself");
    const { origin, authenticated } = await inbox.message("to myself");
    expect(inbox.texts).toEqual(["to myself"]);
    expect({ origin, authenticated }).toMatchObject({
      origin: { chatType: "dm", chatId: SELF.number, userId: SELF.number, messageId: key.id },
      authenticated: true,
    });
    const { messageIds } = await send(
      adapter,
      outbound({ chatId: SELF.number }, "An **answer**"),
      patience(),
    );
    expect(emulator.said({ self: true }).map(({ text }) => text)).toEqual(["⚕ An *answer*"]);
    // Were our own answer to come back, it would be known by its id.
    emulator.raw({ key: { ...key, id: messageIds[0] }, message: { conversation: "An answer" } });
    emulator.say({ self: true }, "self", "and on");
    await inbox.message("and on");
    expect(inbox.texts).toEqual(["to myself", "and on"]);
  });

  it("ignores its owner in bot mode", async () => {
    const { emulator, inbox, ann, connect } = await setUp();
    await connect();
    emulator.say({ with: ann }, "self", "from the owner");
    emulator.say({ with: ann }, ann, "from Ann");
    await inbox.message("from Ann");
    expect(inbox.texts).toEqual(["from Ann"]);
  });

  it("marks messages as read on request, but not those of strangers", async () => {
    const { emulator, inbox, ann, home, connect } = await setUp();
    const mayFetch = async ({ text }: { text: string }) => text !== "from a stranger";
    const media = { home, folder: "media/in", maxBytes: 1, mayFetch };
    await connect({ sendReadReceipts: true, media });
    emulator.say({ with: ann }, ann, "from a stranger");
    const key = emulator.say({ with: ann }, ann, "from a friend");
    await inbox.message("from a friend");
    await until("it is read", () => emulator.read.length > 0);
    expect(emulator.read).toMatchObject([{ id: key.id }]);
  });
});

describe("linking", () => {
  it("shows a code, and continues when it was entered", async () => {
    const { emulator, inbox, ann, folder, log, connect } = await setUp({ linked: false });
    const adapter = await connect();
    expect(adapter.health()).toMatchObject({ state: "down" });
    expect(adapter.health().detail).toContain("ABCD-EFGH");
    await until("the number is asked for", () => emulator.codes.length > 0);
    expect(emulator.codes).toEqual(["15550000001"]);
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
    expect(adapter.linkCode()).toEqual({ code: "ABCD-EFGH" });
    emulator.link();
    await until("it is linked", () => adapter.health().state === "ok");
    expect(adapter.linkCode()).toBeUndefined();
    emulator.say({ with: ann }, ann, "hello");
    await inbox.message("hello");
    expect(log.join("\n")).not.toContain(emulator.account);
    // The next start needs no code.
    await adapter.disconnect();
    expect((await connect()).health().state).toBe("ok");
    expect(emulator.codes).toHaveLength(1);
  });

  it("draws a QR code on request", async () => {
    const { emulator, drawn, connect } = await setUp({ linked: false });
    const adapter = await connect({ linkWith: "qr" });
    await until("it is drawn", () => drawn.length > 0);
    expect(drawn.join("")).toMatch(/[▀▄█]{10}/);
    expect(adapter.health().detail).toContain("scan the code");
    expect(adapter.linkCode()).toEqual({ qr: expect.any(String) });
    expect(emulator.codes).toEqual([]);
  });

  it("gets a new code when one has run out", async () => {
    const { emulator, log, connect } = await setUp({ linked: false });
    const adapter = await connect();
    await until("there is a code", () => emulator.codes.length === 1);
    emulator.restart(408);
    await until("there is another", () => emulator.codes.length === 2);
    expect(adapter.health().detail).toContain("ABCD-EFGH");
    expect(log).toHaveLength(1);
  });

  it("forgets a code that was never entered", async () => {
    const { folder, connect } = await setUp({ linked: false });
    fs.mkdirSync(folder, { recursive: true });
    const half = { me: { id: SELF.number }, pairingCode: "ABCDEFGH" };
    fs.writeFileSync(path.join(folder, "creds.json"), JSON.stringify(half));
    expect((await connect()).health().detail).toContain("ABCD-EFGH");
  });

  it("says what to do when the owner unlinks it, and stops", async () => {
    const { emulator, folder, connect, make, inbox } = await setUp();
    const adapter = await connect();
    emulator.unlink();
    await until("it is noticed", () => adapter.health().state === "down");
    expect(adapter.health().detail).toContain(`delete ${folder}`);
    const { logins } = emulator;
    await expect(make().connect(inbox, patience())).rejects.toMatchObject({ code: "refused" });
    expect(emulator.logins).toBe(logins + 1);
  });

  it("connects again at once when WhatsApp asks for it", async () => {
    const { emulator, connect, log } = await setUp();
    const adapter = await connect({ timing: { backoff: { firstMs: 60_000, maxMs: 60_000 } } });
    for (let restarts = 2; restarts < 5; restarts++) {
      emulator.restart();
      await until("it is back", () => emulator.logins === restarts && adapter.health().state === "ok");
    }
    expect(log.filter((line) => !line.startsWith("debug"))).toEqual([]);
  });

  it.each([
    [403, "blocks this account"],
    [440, "Another program"],
  ])("waits for a person after code %s", async (code, detail) => {
    const { emulator, connect } = await setUp();
    const adapter = await connect();
    emulator.restart(code);
    await until("it is noticed", () => adapter.health().state === "down");
    expect(adapter.health().detail).toContain(detail);
  });

  it("names the command where the package is missing", async () => {
    const { inbox, make, home } = await setUp();
    const adapter = make({ library: null });
    const hint = expect.stringContaining(`npm install --prefix ${home}/packages baileys@`);
    await expect(adapter.connect(inbox, patience())).rejects.toMatchObject({ code: "invalid", hint });
    expect(adapter.health().state).toBe("down");
  });

  it("uses the package in the home", async () => {
    const { home, connect } = await setUp();
    const folder = path.join(home, "packages/node_modules/baileys");
    fs.mkdirSync(folder, { recursive: true });
    const main = { name: "baileys", type: "module", main: "index.js" };
    fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify(main));
    const original = new URL("../../emulators/whatsapp/library.mjs", import.meta.url).href;
    fs.writeFileSync(path.join(folder, "index.js"), `export * from ${JSON.stringify(original)};`);
    expect((await connect({ library: null })).health().state).toBe("ok");
  });
});
