import fs from "node:fs";
import path from "node:path";
// Other parts of a gateway load it before the SDK, which has its own version; both share global state.
import "undici";
import { describe, expect, it } from "vitest";
import type { InboundMessage, OutboundFile } from "../../../src/message.js";
import { PNG } from "../../support/pictures.js";
import { send } from "../../support/send.js";
import { tempDir } from "../../support/temp.js";
import { until } from "../../support/until.js";
import { answer, connected, makeAdapter, soon } from "./support.js";

const mediaIn = (home: string, maxBytes = 1000) => ({
  home,
  folder: "media",
  maxBytes,
  mayFetch: async (message: InboundMessage) => message.origin.userName !== "Stranger",
});

async function withMedia(maxBytes?: number) {
  const home = tempDir();
  const bench = await connected({ media: mediaIn(home, maxBytes) });
  const ada = bench.emulator.user("Ada");
  return { ...bench, home, folder: path.join(home, "media"), ada, dm: bench.emulator.dm(ada) };
}

describe("incoming files", () => {
  it("are stored under a generated name, with their real type", async () => {
    const { emulator, inbox, home, folder, ada, dm } = await withMedia();
    emulator.say(ada, dm, "look", {
      files: [{ name: "../../evil.sh", contentType: "text/plain", bytes: PNG }],
    });
    const [file] = (await inbox.message("look")).attachments;
    expect(file).toMatchObject({
      kind: "image",
      mimeType: "image/png",
      name: "evil.sh",
      bytes: PNG.length,
    });
    expect(file!.path).toMatch(/^media\/[0-9a-f-]{36}\.png$/);
    expect(fs.readFileSync(path.join(home, file!.path!))).toEqual(PNG);
    expect(fs.readdirSync(folder)).toHaveLength(1);
  });

  it("of unauthorised people are named but not downloaded", async () => {
    const { emulator, inbox, folder } = await withMedia();
    const stranger = emulator.user("Stranger");
    emulator.say(stranger, emulator.dm(stranger), "look", {
      files: [{ name: "a.png", contentType: "image/png", bytes: PNG }],
    });
    const [file] = (await inbox.message("look")).attachments;
    expect(file).toMatchObject({ name: "a.png", problem: expect.stringMatching(/not fetched/) });
    expect(fs.existsSync(folder)).toBe(false);
  });

  it("can come without a text", async () => {
    const { emulator, inbox, ada, dm } = await withMedia();
    emulator.say(ada, dm, "", { files: [{ name: "a.png", contentType: "image/png", bytes: PNG }] });
    const message = await until("it is there", () => inbox.received[0]);
    expect(message).toMatchObject({ text: "", attachments: [{ kind: "image" }] });
  });

  it("of forwarded messages are included", async () => {
    const { emulator, inbox, home, ada, dm } = await withMedia();
    const files = [{ name: "a.png", contentType: "image/png", bytes: PNG }];
    emulator.say(ada, dm, "", { forwarded: "look at this", files });
    const message = await until("it is there", () => inbox.received[0]);
    expect(message).toMatchObject({
      text: "[Forwarded message]\nlook at this\n[File: a.png]",
      attachments: [{ kind: "image", name: "a.png" }],
    });
    expect(fs.readFileSync(path.join(home, message.attachments[0]!.path!))).toEqual(PNG);
  });

  it("that are too large are not downloaded, and the attachment tells why", async () => {
    const { emulator, inbox, folder, ada, dm } = await withMedia(10);
    emulator.say(ada, dm, "big", { files: [{ name: "a.png", contentType: "image/png", bytes: PNG }] });
    const [file] = (await inbox.message("big")).attachments;
    expect(file).toMatchObject({ problem: expect.stringMatching(/larger than/) });
    expect(file!.path).toBeUndefined();
    expect(fs.existsSync(folder) ? fs.readdirSync(folder) : []).toEqual([]);
  });

  it("that can't be downloaded don't block their message", async () => {
    const { emulator, inbox, ada, dm } = await withMedia();
    emulator.faults.duplicateEvents = false;
    const bytes = Buffer.from("gone");
    const message = emulator.core.world.addMessage({ channelId: dm.id, authorId: ada.id, content: "x" });
    const file = { id: "1", filename: "a.txt", size: 4, content_type: "text/plain" };
    const base = { id: message.id, channel_id: dm.id, channel_type: 1, type: 0, mentions: [], embeds: [] };
    const author = { id: ada.id, username: "ada" };
    const urls = [
      `${emulator.baseUrl}/cdn/attachments/${dm.id}/404/a.txt`,
      "http://127.0.0.1:1/secret",
      "nonsense",
    ];
    const attachments = urls.map((url) => ({ ...file, url, size: bytes.length }));
    emulator.gateway.dispatch("MESSAGE_CREATE", { ...base, author, content: "three", attachments });
    const received = await inbox.message("three");
    expect(received.attachments.map(({ problem }) => problem)).toEqual([
      expect.stringMatching(/404/),
      expect.stringMatching(/not on Discord's servers/),
      expect.stringMatching(/not on Discord's servers/),
    ]);
  });
});

describe("outgoing files", () => {
  const copy = (home: string, name: string, content: Buffer | string = PNG): OutboundFile => {
    fs.mkdirSync(path.join(home, "media/sent"), { recursive: true });
    fs.writeFileSync(path.join(home, "media/sent", name), content);
    return { name, path: `media/sent/${name}`, mimeType: "image/png", bytes: content.length };
  };

  it("follow the text and are sent once", async () => {
    const { emulator, inbox, adapter, home, ada, dm } = await withMedia();
    emulator.say(ada, dm, "send it");
    const files = [copy(home, "result.png"), copy(home, "b.txt", "b")];
    const reply = answer(await inbox.message("send it"), "Here:", { files });
    const receipt = await send(adapter, reply, soon());
    expect(emulator.said(dm)).toMatchObject([
      { text: "Here:", files: [] },
      {
        id: receipt.messageIds[1],
        files: [
          { name: "result.png", bytes: PNG.length, contentType: "image/png" },
          { name: "b.txt", bytes: 1 },
        ],
      },
    ]);
    expect(emulator.said(dm)).toHaveLength(2);
  });

  it("are found by a lookup after an unknown outcome", async () => {
    const { emulator, inbox, adapter, home, ada, dm } = await withMedia();
    emulator.say(ada, dm, "send it");
    const reply = answer(await inbox.message("send it"), "Here:", { files: [copy(home, "a.png")] });
    const { messageIds } = await send(adapter, reply, soon());
    const after = makeAdapter(emulator, { media: mediaIn(home) });
    await after.adapter.connect(inbox, after.stop.signal);
    const context = { index: 1, count: 2, sent: [messageIds[0]!], mayBeRepeat: true };
    const find = (file: OutboundFile) => after.adapter.lookUp(reply, { files: [file] }, context, soon());
    expect(await find(reply.files![0]!)).toEqual([messageIds[1]]);
    expect(await find(copy(home, "c.txt", "another size"))).toBe("missing");
  });

  it("that no longer exist are replaced by a note", async () => {
    const { emulator, inbox, adapter, ada, dm } = await withMedia();
    emulator.say(ada, dm, "send it");
    const gone = { name: "old.txt", path: "media/sent/none", mimeType: "text/plain", bytes: 1 };
    await send(adapter, answer(await inbox.message("send it"), "Here:", { files: [gone] }), soon());
    expect(emulator.said(dm)).toMatchObject([
      { text: "Here:" },
      { text: expect.stringMatching(/old\.txt was not sent/), files: [] },
    ]);
  });
});
