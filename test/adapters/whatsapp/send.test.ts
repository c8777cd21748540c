import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ownMessageId } from "../../../src/adapters/whatsapp/ids.js";
import { whatsapp } from "../../../src/adapters/whatsapp/platform.js";
import { probeWhatsApp } from "../../../src/adapters/whatsapp/probe.js";
import { renderTexts } from "../../../src/adapters/whatsapp/render.js";
import { SendError } from "../../../src/errors.js";
import { targetOf } from "../../../src/message.js";
import { LIBRARY } from "../../emulators/whatsapp/index.js";
import { send } from "../../support/send.js";
import { until } from "../../support/until.js";
import { outbound, patience, setUp, writeLink } from "./support.js";

describe("an answer on WhatsApp", () => {
  it.each([
    ["**bold** *italic* ~~gone~~ `code`", "*bold* _italic_ ~gone~ `code`"],
    ["# Title\n\ntext", "*Title*\n\ntext"],
    ["[words](https://a.example/x_y)", "words (https://a.example/x_y)"],
    ["```js\nlet a = 1;\n```", "```\nlet a = 1;\n```"],
    ["> quoted", "> quoted"],
    ["- one\n- two", "- one\n- two"],
  ])("is written in its markup: %s", (markdown, text) => {
    expect(renderTexts(markdown)).toEqual([text]);
  });

  it.each([
    ["first", [true, false]],
    ["all", [true, true]],
    ["off", [false, false]],
  ] as const)("quotes the question as reply_to_mode says: %s", async (replyToMode, quotes) => {
    const { emulator, inbox, ann, connect } = await setUp();
    const adapter = await connect({ replyToMode });
    const group = emulator.group("Garden");
    const key = emulator.say({ group }, ann, "a question");
    const target = targetOf(await inbox.message("a question"));
    await send(adapter, outbound(target, "word ".repeat(1500)), patience());
    expect(emulator.said({ group }).map(({ quoted }) => quoted === key.id)).toEqual(quotes);
  });

  it("doesn't quote a question that was deleted", async () => {
    const { emulator, inbox, ann, connect } = await setUp();
    const adapter = await connect();
    const key = emulator.say({ with: ann }, ann, "a question");
    const target = targetOf(await inbox.message("a question"));
    emulator.remove({ with: ann }, ann, key);
    await until("it is deleted", () => inbox.deletes.length > 0);
    await send(adapter, outbound(target, "an answer"), patience());
    expect(emulator.said({ with: ann })).toMatchObject([{ quoted: null }]);
  });

  it("has the same id at every attempt", async () => {
    const { emulator, ann, connect } = await setUp();
    const adapter = await connect();
    const message = outbound({ chatId: ann.number }, "hi");
    emulator.failSend({ kind: "cut_before" });
    await expect(send(adapter, message, patience())).rejects.toMatchObject({ outcome: "unknown" });
    await until("it is back", () => emulator.logins === 2 && adapter.health().state === "ok");
    const { messageIds } = await send(adapter, { ...message, mayBeRepeat: true }, patience());
    expect(messageIds).toEqual([ownMessageId(message.nonce, 0)]);
    expect(emulator.said({ with: ann })).toMatchObject([
      { id: messageIds[0], text: "(This may be a repeat.)\nhi" },
    ]);
  });

  it("goes to a number as people write it, a lid and a group, and nowhere else", async () => {
    const { emulator, connect } = await setUp();
    const adapter = await connect();
    const chats = [
      "+15551112222",
      "15551112222:3@s.whatsapp.net",
      "200000000000001@lid",
      "120363000000000001",
    ];
    for (const chatId of chats) await send(adapter, outbound({ chatId }, "hi"), patience());
    expect(emulator.sent.map(({ jid }) => jid)).toEqual([
      "15551112222@s.whatsapp.net",
      "15551112222@s.whatsapp.net",
      "200000000000001@lid",
      "120363000000000001@g.us",
    ]);
    for (const chatId of ["ann", "status@broadcast", "12@newsletter", ""])
      await expect(send(adapter, outbound({ chatId }, "hi"), patience())).rejects.toMatchObject({
        outcome: "refused",
      });
  });

  it("brings files as what they are", async () => {
    const { emulator, ann, home, connect } = await setUp();
    const adapter = await connect();
    const file = (name: string, mimeType: string, as?: "voice" | "document") => {
      fs.writeFileSync(path.join(home, name), name);
      return { name, path: name, mimeType, bytes: name.length, ...(as ? { as } : {}) };
    };
    const files = [
      file("a.png", "image/png"),
      file("b.png", "image/png", "document"),
      file("c.ogg", "audio/ogg", "voice"),
      file("d.pdf", "application/pdf"),
      { ...file("e.pdf", "application/pdf"), path: "gone.pdf" },
    ];
    await send(adapter, outbound({ chatId: ann.number }, "Here", { files }), patience());
    const bytes = (text: string) => ({ bytes: Buffer.from(text).toString("base64") });
    expect(emulator.said({ with: ann }).map(({ content }) => content)).toEqual([
      { text: "Here" },
      { image: bytes("a.png") },
      { document: bytes("b.png"), mimetype: "image/png", fileName: "b.png" },
      { audio: bytes("c.ogg"), mimetype: "audio/ogg; codecs=opus", ptt: true },
      { document: bytes("d.pdf"), mimetype: "application/pdf", fileName: "d.pdf" },
      { text: expect.stringContaining("e.pdf was not sent") },
    ]);
  });

  it.each([
    ["463", "refused"],
    ["479", "refused"],
    ["503", "never_sent"],
  ])("that WhatsApp answers with %s is %s", async (code, outcome) => {
    const { emulator, ann, connect } = await setUp();
    const adapter = await connect();
    emulator.failSend({ kind: "error", code });
    const sending = send(adapter, outbound({ chatId: ann.number }, "hi"), patience());
    await expect(sending).rejects.toMatchObject({ outcome });
  });

  it("waits as a whole after a rate limit", async () => {
    const { emulator, ann, connect } = await setUp();
    const adapter = await connect();
    emulator.failSend({ kind: "error", code: "429" });
    const ben = emulator.person("Ben");
    for (const { number } of [ann, ben]) {
      const error = await send(adapter, outbound({ chatId: number }, "hi"), patience()).catch(
        (e: unknown) => e,
      );
      expect(error).toBeInstanceOf(SendError);
      expect(error).toMatchObject({
        outcome: "never_sent",
        scope: "account",
        retryAfterMs: expect.any(Number),
      });
    }
    expect(emulator.posts).toBe(1);
  });
});

describe("the settings", () => {
  it("take numbers in lists as people write them", () => {
    const settings = whatsapp.settings!.schema.parse({
      phone_number: "+15550000001",
      allow_from: ["+1 (555) 111-2222", "15551113333", "200000000000001@lid", "*"],
    });
    expect(settings).toMatchObject({
      enabled: true,
      allow_from: ["15551112222", "15551113333", "200000000000001@lid", "*"],
    });
  });

  it("need a phone number", async () => {
    const { make } = await setUp();
    expect(() => make({ phoneNumber: "none" })).toThrow("phone number");
  });
});

describe("the probe", () => {
  it("tells what is missing, and who it is", async () => {
    const { home, folder } = await setUp({ linked: false });
    const look = async (library: string | null, number = "15550000001") => {
      const { findings, bot } = await probeWhatsApp({ home, folder, library, number });
      return [bot?.name, ...findings.map(({ state }) => state)];
    };
    expect(await look(null)).toEqual([undefined, "fail", "warn"]);
    expect(await look(LIBRARY)).toEqual([undefined, "ok", "warn"]);
    writeLink(folder, "secret");
    expect(await look(LIBRARY)).toEqual(["+15550000001", "ok", "ok"]);
    expect(await look(LIBRARY, "15559999999")).toEqual(["+15550000001", "ok", "ok", "warn"]);
  });
});
