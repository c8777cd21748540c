import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { OutboundFile } from "../../../src/message.js";
import { PNG } from "../../support/pictures.js";
import { send } from "../../support/send.js";
import { tempDir } from "../../support/temp.js";
import { deadline, outbound, type Setup, setup } from "./support.js";

let b: Setup;
afterEach(() => b.close());

const small = () => ({ home: tempDir(), folder: "media", maxBytes: 10, mayFetch: async () => true });

describe("incoming Slack files", () => {
  it("stores a file under a random name with the type of its content", async () => {
    b = await setup();
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

  it("doesn't download files of a message that won't be answered", async () => {
    const media = { home: tempDir(), folder: "media", maxBytes: 1000, mayFetch: async () => false };
    b = await setup({ adapter: { media } });
    b.slack.say({ channel: "D1", user: "U1", text: "see", files: [{ name: "a.png", content: PNG }] });
    await b.slack.until(() => b.inbox.received.length === 1);
    expect(b.inbox.received[0]!.attachments).toMatchObject([{ name: "a.png", problem: expect.any(String) }]);
    expect(fs.readdirSync(media.home)).toEqual([]);
  });

  it("receives a file without text", async () => {
    b = await setup();
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

  it("downloads a file once for the two events of one message", async () => {
    b = await setup();
    b.slack.say({
      channel: "C1",
      user: "U1",
      text: "<@U0BOT> see",
      files: [{ name: "a.png", content: PNG }],
    });
    await b.slack.until(() => b.inbox.received.length === 2);
    expect(fs.readdirSync(path.join(b.dir, "media"))).toHaveLength(1);
  });

  it("skips a file that is too large", async () => {
    b = await setup({ adapter: { media: small() } });
    b.slack.say({ channel: "D1", user: "U1", text: "big", files: [{ name: "a.png", content: PNG }] });
    await b.slack.until(() => b.inbox.received.length === 1);
    expect(b.inbox.received[0]!.attachments[0]).toMatchObject({ problem: expect.stringMatching(/larger/) });
  });

  it("stops the download of a file that is larger than declared", async () => {
    b = await setup({ adapter: { media: small() } });
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

  it("names the missing scope instead of storing Slack's login page", async () => {
    b = await setup();
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

  it("looks up a file that comes with its id only", async () => {
    b = await setup();
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

  it("never sends the token to another host", async () => {
    b = await setup();
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
    expect(b.inbox.received[0]!.attachments[0]).toMatchObject({
      problem: expect.stringMatching(/not on Slack's servers/),
    });
  });
});

describe("outgoing Slack files", () => {
  function outFile(name: string, content = "content"): OutboundFile {
    fs.mkdirSync(path.join(b.dir, "media/sent"), { recursive: true });
    fs.writeFileSync(path.join(b.dir, "media/sent", name), content);
    return { name, path: `media/sent/${name}`, mimeType: "text/plain", bytes: content.length };
  }

  it("sends files after the text, in the thread", async () => {
    b = await setup();
    const { ts } = b.slack.say({ channel: "C1", user: "U1", text: "q", silently: true });
    const files = [outFile("a.txt"), outFile("b.txt", "more")];
    const { messageIds } = await send(
      b.adapter,
      outbound({ chatId: "C1", threadId: ts }, "Here", { files }),
      deadline(),
    );
    const seen = b.slack.workspace.seen("C1", ts);
    expect(seen.map((m) => [m.text, m.files.map((f) => `${f.name}=${f.content}`)])).toEqual([
      ["Here", []],
      ["", ["a.txt=content", "b.txt=more"]],
    ]);
    expect(messageIds).toEqual(seen.map((m) => m.ts));
  });

  it("sends a note instead of a file that no longer exists", async () => {
    b = await setup();
    const gone = { name: "old.txt", path: "media/sent/none", mimeType: "text/plain", bytes: 1 };
    await send(b.adapter, outbound({}, "Here", { files: [gone] }), deadline());
    expect(b.slack.workspace.texts("D1")).toEqual(["Here", expect.stringMatching(/old\.txt was not sent/)]);
  });

  it("doesn't share files twice after an unknown outcome", async () => {
    b = await setup();
    const message = outbound({}, "Here", { files: [outFile("a.txt")] });
    b.slack.faults.next("files.completeUploadExternal", { kind: "cut_after" });
    await expect(send(b.adapter, message, deadline())).rejects.toMatchObject({ outcome: "unknown" });
    await send(b.adapter, { ...message, mayBeRepeat: true }, deadline());
    expect(b.slack.workspace.seen("D1").flatMap((m) => m.files)).toHaveLength(1);
    expect(b.slack.workspace.texts("D1")).toEqual(["Here", ""]);
  });

  it("can retry after a failed upload", async () => {
    b = await setup();
    const message = outbound({}, "", { files: [outFile("a.txt")] });
    b.slack.faults.next("files.getUploadURLExternal", { kind: "cut_after" });
    await expect(send(b.adapter, message, deadline())).rejects.toMatchObject({ outcome: "never_sent" });
    await send(b.adapter, message, deadline());
    expect(b.slack.workspace.seen("D1").flatMap((m) => m.files)).toHaveLength(1);
  });
});
