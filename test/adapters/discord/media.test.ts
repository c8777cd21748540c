import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { InboundMessage } from "../../../src/message.js";
import { PNG } from "../../support/pictures.js";
import { tempDir } from "../../support/temp.js";
import { until } from "../../support/until.js";
import { answer, connected, soon } from "./support.js";

async function withMedia(maxBytes = 1000) {
  const home = tempDir();
  const out = path.join(home, "out");
  fs.mkdirSync(out);
  const folder = path.join(home, "media");
  const mayFetch = async (message: InboundMessage) => message.origin.userName !== "Stranger";
  const media = { home, folder: "media", allowedFolders: ["out"], maxBytes, maxUploadBytes: 500, mayFetch };
  const bench = await connected({ media });
  const ada = bench.emulator.user("Ada");
  return { ...bench, home, folder, out, ada, dm: bench.emulator.dm(ada) };
}

describe("files that come in", () => {
  it("are fetched under a name of our own, with the type that they have", async () => {
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

  it("of strangers are named, and take no room", async () => {
    const { emulator, inbox, folder } = await withMedia();
    const stranger = emulator.user("Stranger");
    emulator.say(stranger, emulator.dm(stranger), "look", {
      files: [{ name: "a.png", contentType: "image/png", bytes: PNG }],
    });
    const [file] = (await inbox.message("look")).attachments;
    expect(file).toMatchObject({ name: "a.png", problem: expect.stringMatching(/not fetched/) });
    expect(fs.existsSync(folder)).toBe(false);
  });

  it("come without words, too", async () => {
    const { emulator, inbox, ada, dm } = await withMedia();
    emulator.say(ada, dm, "", { files: [{ name: "a.png", contentType: "image/png", bytes: PNG }] });
    const message = await until("it is there", () => inbox.received[0]);
    expect(message).toMatchObject({ text: "", attachments: [{ kind: "image" }] });
  });

  it("that are too large stay where they are, and the message says so", async () => {
    const { emulator, inbox, folder, ada, dm } = await withMedia(10);
    emulator.say(ada, dm, "big", { files: [{ name: "a.png", contentType: "image/png", bytes: PNG }] });
    const [file] = (await inbox.message("big")).attachments;
    expect(file).toMatchObject({ problem: expect.stringMatching(/larger than/) });
    expect(file!.path).toBeUndefined();
    expect(fs.existsSync(folder) ? fs.readdirSync(folder) : []).toEqual([]);
  });

  it("that can't be fetched are a problem of the file, not of the message", async () => {
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
      expect.stringMatching(/outside of Discord/),
      expect.stringMatching(/outside of Discord/),
    ]);
  });
});

describe("files that go out", () => {
  it("follow the text, from allowed folders", async () => {
    const { emulator, inbox, adapter, out, ada, dm } = await withMedia();
    emulator.say(ada, dm, "send it");
    const file = path.join(out, "result.png");
    fs.writeFileSync(file, PNG);
    const reply = answer(await inbox.message("send it"), "Here:", { files: [file] });
    const receipt = await adapter.send(reply, soon());
    await adapter.send(reply, soon());
    expect(emulator.said(dm)).toMatchObject([
      { text: "Here:", files: [] },
      {
        id: receipt.messageIds[1],
        files: [{ name: "result.png", bytes: PNG.length, contentType: "image/png" }],
      },
    ]);
    expect(emulator.said(dm)).toHaveLength(2);
  });

  it("are refused from anywhere else, also by a link", async () => {
    const { emulator, inbox, adapter, home, out, ada, dm } = await withMedia();
    emulator.say(ada, dm, "send it");
    const message = await inbox.message("send it");
    fs.writeFileSync(path.join(home, "secret"), "token");
    fs.symlinkSync(path.join(home, "secret"), path.join(out, "link"));
    fs.writeFileSync(path.join(out, "large"), "x".repeat(501));
    const wrong = [
      path.join(home, "secret"),
      path.join(out, "link"),
      path.join(out, "../secret"),
      "/etc/passwd",
    ];
    for (const file of [...wrong, path.join(out, "missing"), path.join(out, "large")]) {
      const sent = adapter.send(answer(message, "x", { files: [file] }), soon());
      await expect(sent).rejects.toMatchObject({ outcome: "refused" });
    }
    expect(emulator.said(dm)).toEqual([]);
  });
});
