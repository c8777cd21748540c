import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { OutboundFile } from "../../../src/message.js";
import { PNG } from "../../support/pictures.js";
import { tempDir } from "../../support/temp.js";
import { type Bench, bench, outbound, patient } from "./harness.js";

let b: Bench;
afterEach(() => b.close());

const small = () => ({ home: tempDir(), folder: "media", maxBytes: 10, mayFetch: async () => true });

describe("files that come in", () => {
  it("are kept under a random name, and are what their bytes say", async () => {
    b = await bench();
    const file = { name: "../../evil.sh", content: PNG, mimetype: "application/x-sh" };
    b.slack.say({ channel: "D1", user: "U1", text: "look", files: [file] });
    await b.slack.until(() => b.inbox.received.length === 1);
    const { text, attachments } = b.inbox.received[0]!;
    expect(text).toBe("look");
    expect(attachments).toMatchObject([{ kind: "image", mimeType: "image/png", bytes: PNG.length }]);
    const kept = attachments[0]!.path!;
    expect(kept).toMatch(/^media\/[0-9a-f-]{36}\.png$/);
    expect(fs.readFileSync(path.join(b.dir, kept))).toEqual(PNG);
    expect(fs.statSync(path.join(b.dir, kept)).mode & 0o777).toBe(0o600);
  });

  it("are not fetched for a message that nobody will answer", async () => {
    const media = { home: tempDir(), folder: "media", maxBytes: 1000, mayFetch: async () => false };
    b = await bench({ adapter: { media } });
    b.slack.say({ channel: "D1", user: "U1", text: "see", files: [{ name: "a.png", content: PNG }] });
    await b.slack.until(() => b.inbox.received.length === 1);
    expect(b.inbox.received[0]!.attachments).toMatchObject([{ name: "a.png", problem: expect.any(String) }]);
    expect(fs.readdirSync(media.home)).toEqual([]);
  });

  it("may stand without a word", async () => {
    b = await bench();
    b.slack.say({
      channel: "D1",
      user: "U1",
      text: "",
      files: [{ name: "a.txt", content: Buffer.from("text") }],
    });
    await b.slack.until(() => b.inbox.received.length === 1);
    expect(b.inbox.received[0]).toMatchObject({
      text: "",
      attachments: [{ kind: "file", mimeType: "text/plain" }],
    });
  });

  it("are fetched once for the two events of one post", async () => {
    b = await bench();
    b.slack.say({
      channel: "C1",
      user: "U1",
      text: "<@U0BOT> see",
      files: [{ name: "a.png", content: PNG }],
    });
    await b.slack.until(() => b.inbox.received.length === 2);
    expect(fs.readdirSync(path.join(b.dir, "media"))).toHaveLength(1);
  });

  it("are left where they are when too large", async () => {
    b = await bench({ adapter: { media: small() } });
    b.slack.say({ channel: "D1", user: "U1", text: "big", files: [{ name: "a.png", content: PNG }] });
    await b.slack.until(() => b.inbox.received.length === 1);
    expect(b.inbox.received[0]!.attachments[0]).toMatchObject({ problem: expect.stringMatching(/larger/) });
  });

  it("are cut off when they are larger than they claim", async () => {
    b = await bench({ adapter: { media: small() } });
    const file = b.slack.workspace.addFile("a.png", PNG, "image/png");
    file.size = 5;
    const url = new URL(b.slack.apiUrl).origin;
    b.slack.event({
      type: "message",
      subtype: "file_share",
      channel: "D1",
      channel_type: "im",
      user: "U1",
      text: "",
      ts: b.slack.workspace.nextTs(),
      files: [{ id: file.id, name: "a.png", size: 5, url_private: `${url}/files-pri/${file.id}/a.png` }],
    });
    await b.slack.until(() => b.inbox.received.length === 1);
    expect(b.inbox.received[0]!.attachments[0]).toMatchObject({ problem: expect.stringMatching(/larger/) });
  });

  it("tell which scope is missing instead of keeping Slack's login page", async () => {
    b = await bench();
    b.slack.scopes.delete("files:read");
    b.slack.say({
      channel: "D1",
      user: "U1",
      text: "see",
      files: [{ name: "a.png", content: PNG, mimetype: "image/png" }],
    });
    await b.slack.until(() => b.inbox.received.length === 1);
    expect(b.inbox.received[0]!.attachments[0]).toMatchObject({
      problem: expect.stringMatching(/files:read/),
    });
  });

  it("are asked for when only their id comes along", async () => {
    b = await bench();
    const file = b.slack.workspace.addFile("a.png", PNG, "image/png");
    b.slack.event({
      type: "message",
      channel: "D1",
      channel_type: "im",
      user: "U1",
      text: "see",
      ts: b.slack.workspace.nextTs(),
      files: [{ id: file.id, mode: "file_access", file_access: "check_file_info" }],
    });
    await b.slack.until(() => b.inbox.received.length === 1);
    expect(b.inbox.received[0]!.attachments[0]).toMatchObject({ kind: "image", path: expect.any(String) });
  });

  it("never get the token when they lie elsewhere", async () => {
    b = await bench();
    b.slack.event({
      type: "message",
      channel: "D1",
      channel_type: "im",
      user: "U1",
      text: "see",
      ts: b.slack.workspace.nextTs(),
      files: [{ id: "F1", name: "x", url_private: "https://files.slack.com.evil.example/x" }],
    });
    await b.slack.until(() => b.inbox.received.length === 1);
    expect(b.inbox.received[0]!.attachments[0]).toMatchObject({ problem: expect.stringMatching(/outside/) });
  });
});

describe("files that go out", () => {
  function outFile(name: string, content = "content"): OutboundFile {
    fs.mkdirSync(path.join(b.dir, "media/sent"), { recursive: true });
    fs.writeFileSync(path.join(b.dir, "media/sent", name), content);
    return { name, path: `media/sent/${name}`, mimeType: "text/plain", bytes: content.length };
  }

  it("follow the text, in the thread", async () => {
    b = await bench();
    const { ts } = b.slack.say({ channel: "C1", user: "U1", text: "q", silently: true });
    const files = [outFile("a.txt"), outFile("b.txt", "more")];
    const { messageIds } = await b.adapter.send(
      outbound({ chatId: "C1", threadId: ts }, "Here", { files }),
      patient(),
    );
    const seen = b.slack.workspace.seen("C1", ts);
    expect(seen.map((m) => [m.text, m.files.map((f) => `${f.name}=${f.content}`)])).toEqual([
      ["Here", []],
      ["", ["a.txt=content", "b.txt=more"]],
    ]);
    expect(messageIds).toEqual(seen.map((m) => m.ts));
  });

  it("that are gone are told of", async () => {
    b = await bench();
    const gone = { name: "old.txt", path: "media/sent/none", mimeType: "text/plain", bytes: 1 };
    await b.adapter.send(outbound({}, "Here", { files: [gone] }), patient());
    expect(b.slack.workspace.texts("D1")).toEqual([
      expect.stringMatching(/Here[\s\S]*old\.txt was not sent/),
    ]);
  });

  it("aren't shared twice after an unknown outcome", async () => {
    b = await bench();
    const message = outbound({}, "Here", { files: [outFile("a.txt")] });
    b.slack.faults.next("files.completeUploadExternal", { kind: "cut_after" });
    await expect(b.adapter.send(message, patient())).rejects.toMatchObject({ outcome: "unknown" });
    await b.adapter.send({ ...message, mayBeRepeat: true }, patient());
    expect(b.slack.workspace.seen("D1").flatMap((m) => m.files)).toHaveLength(1);
    expect(b.slack.workspace.texts("D1")).toEqual(["Here", ""]);
  });

  it("are tried again when the upload itself breaks off", async () => {
    b = await bench();
    const message = outbound({}, "", { files: [outFile("a.txt")] });
    b.slack.faults.next("files.getUploadURLExternal", { kind: "cut_after" });
    await expect(b.adapter.send(message, patient())).rejects.toMatchObject({ outcome: "never_sent" });
    await b.adapter.send(message, patient());
    expect(b.slack.workspace.seen("D1").flatMap((m) => m.files)).toHaveLength(1);
  });
});
