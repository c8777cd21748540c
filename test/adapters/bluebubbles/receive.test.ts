import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { webhookKey } from "../../../src/adapters/bluebubbles/ids.js";
import { send } from "../../support/send.js";
import { sessionKeyOf } from "../../support/session-key-of.js";
import { tempDir } from "../../support/temp.js";
import { until } from "../../support/until.js";
import { ANN, Bench, outbound, patience, WEBHOOK } from "./support.js";

let bench: Bench;

beforeEach(async () => {
  bench = await new Bench().start();
});
afterEach(() => bench.close());

describe("a message", () => {
  it("has the session key of the person, or of the group and the person", async () => {
    await bench.connected();
    bench.server.say(bench.ann, ANN, "hello");
    bench.server.say(bench.family, ANN, "all");
    expect(sessionKeyOf(await bench.inbox.message("hello"))).toBe(`agent:main:bluebubbles:dm:${ANN}`);
    expect(sessionKeyOf(await bench.inbox.message("all"))).toBe(
      `agent:main:bluebubbles:group:iMessage;+;chat83:${ANN}`,
    );
  });

  it("has the name of the person, if the Mac's contacts have it", async () => {
    bench.server.contacts.set(ANN, "Ann");
    await bench.connected();
    bench.server.say(bench.ann, ANN, "hello");
    bench.server.say(bench.family, "ben@example.org", "hi");
    expect((await bench.inbox.message("hello")).origin.userName).toBe("Ann");
    expect((await bench.inbox.message("hi")).origin.userName).toBeNull();
  });

  it("of one person is in one chat, whichever service it came by", async () => {
    await bench.connected();
    for (const [i, service] of ["iMessage", "SMS", "any"].entries())
      bench.server.say(bench.server.mac.direct("ann@example.org", service), "ann@example.org", `text ${i}`);
    await bench.inbox.message("text 2");
    expect(new Set(bench.inbox.received.map(({ origin }) => origin.chatId))).toEqual(
      new Set(["ann@example.org"]),
    );
  });

  it.each([
    ["Hermes, what now?", "what now?", true],
    ["@hermes /status", "/status", true],
    ["hermes agent: help", "help", true],
    ["ask Hermes about it", "ask Hermes about it", true],
    ["hermeneutics", "hermeneutics", false],
    ["hermes", "hermes", true],
  ])("in a group mentions the bot by its name: %s", async (said, text, mentioned) => {
    await bench.connected();
    bench.server.say(bench.family, ANN, said);
    expect(await bench.inbox.message(text)).toMatchObject({ mentioned, origin: { chatName: "Family" } });
  });

  it("has the quote of what it replies to", async () => {
    const adapter = await bench.connected();
    const { messageIds } = await send(adapter, outbound("Which one?"), patience());
    const own = bench.server.say(bench.ann, ANN, "this", { threadGuid: messageIds[0]! });
    expect(await bench.inbox.message("this")).toMatchObject({
      quoted: { text: "Which one?", messageId: messageIds[0] },
      repliedToBot: true,
    });
    bench.server.say(bench.ann, ANN, "that", { threadGuid: own.guid });
    expect(await bench.inbox.message("that")).toMatchObject({
      quoted: { text: "this" },
      repliedToBot: false,
    });
    bench.server.say(bench.ann, ANN, "gone", { threadGuid: "no-such" });
    expect((await bench.inbox.message("gone")).quoted).toBeUndefined();
  });

  it("that is a tapback, a line about the group or our own is skipped", async () => {
    await bench.connected();
    bench.server.say(bench.family, ANN, "Liked “x”", { raw: { associatedMessageType: "like" } });
    bench.server.say(bench.family, ANN, "named it", { raw: { itemType: 2 } });
    bench.server.say(bench.family, ANN, "from the Mac", { isFromMe: true });
    bench.server.say(bench.family, `${ANN}@evil.example`, "a mail address that poses as a number");
    bench.server.say(bench.family, ANN, "last");
    await bench.inbox.message("last");
    expect(bench.inbox.texts).toEqual(["last"]);
  });

  it("in a chat with oneself isn't the echo of an answer", async () => {
    const adapter = await bench.connected();
    const self = bench.server.mac.direct("me@example.org");
    self.isSelf = true;
    bench.server.say(self, "me@example.org", "ping");
    await bench.inbox.message("ping");
    await send(adapter, outbound("pong", {}, { chatId: "me@example.org" }), patience());
    expect(bench.server.mac.in(self)).toHaveLength(3);
    bench.server.say(self, "me@example.org", "again");
    await bench.inbox.message("again");
    expect(bench.inbox.texts).toEqual(["ping", "again"]);
  });
});

describe("the database", () => {
  it("returns missed messages in order of arrival, over several pages", async () => {
    const adapter = await bench.connected();
    await adapter.disconnect();
    bench.server.gatewayUrl = undefined;
    // A phone that was offline: its message is older, and comes in last.
    for (let i = 0; i < 450; i++) bench.server.say(bench.ann, ANN, `text ${i}`);
    bench.server.say(bench.ann, ANN, "late", { atMs: Date.now() - 3_600_000 });
    await bench.connected();
    expect(bench.inbox.texts).toEqual([...Array.from({ length: 450 }, (_, i) => `text ${i}`), "late"]);
  });

  it("from before the first start is not answered, nor what is too old", async () => {
    bench.server.say(bench.ann, ANN, "long ago");
    const adapter = await bench.connected();
    await adapter.disconnect();
    bench.server.say(bench.ann, ANN, "too old", { atMs: Date.now() - 3_600_000 });
    bench.server.say(bench.ann, ANN, "new");
    await bench.connected({ catchUpMaxAgeSeconds: 600 });
    expect(bench.inbox.texts).toEqual(["new"]);
  });

  it("of a new Mac counts from its start", async () => {
    await bench.inbox.saveCursor({ name: "row", value: "99999" });
    await bench.connected();
    bench.server.say(bench.ann, ANN, "hello");
    await bench.inbox.message("hello");
  });

  it("is the only source without a webhook", async () => {
    const adapter = await bench.connected({ webhookUrl: undefined, pollSeconds: 0.02 });
    expect(adapter.callbacks).toEqual([]);
    expect(bench.server.registered).toEqual([]);
    bench.server.say(bench.ann, ANN, "hello");
    await bench.inbox.message("hello");
  });
});

describe("the webhook", () => {
  const key = () => webhookKey(bench.server.password);

  it("is registered once, without the password, and replaces an old one", async () => {
    bench.server.registered.push({ id: 1, url: `${WEBHOOK}?key=old`, events: ["*"] });
    bench.server.registered.push({ id: 2, url: "http://other.example/", events: ["*"] });
    const adapter = await bench.connected();
    await adapter.disconnect();
    await bench.connected();
    expect(bench.server.registered.map(({ url }) => url)).toEqual([
      "http://other.example/",
      `${WEBHOOK}?key=${key()}`,
    ]);
    expect(JSON.stringify(bench.server.registered)).not.toContain(bench.server.password);
  });

  it("refuses calls without the key", async () => {
    await bench.connected();
    const post = async (search: string, body = JSON.stringify({ type: "new-message", data: {} })) =>
      (await fetch(`${bench.gatewayUrl}/bluebubbles-webhook${search}`, { method: "POST", body })).status;
    expect(await post("")).toBe(401);
    expect(await post("?key=wrong")).toBe(401);
    expect(await post(`?key=${bench.server.password}`)).toBe(401);
    expect(await post(`?key=${key()}`)).toBe(200);
    expect(await post(`?key=${key()}`, "nonsense")).toBe(400);
  });

  it("passes an edit on once, whatever else changes at the message", async () => {
    await bench.connected();
    const message = bench.server.say(bench.ann, ANN, "helo");
    await bench.inbox.message("helo");
    bench.server.touch(message);
    bench.server.edit(message, "hello");
    await until("it is edited", () => bench.inbox.edits.length === 1);
    bench.server.touch(message);
    bench.server.retract(message);
    await until("it is deleted", () => bench.inbox.deletes.length === 1);
    expect(bench.inbox.edits).toHaveLength(1);
  });
});

describe("files", () => {
  const media = (home: string) => ({ home, folder: "media/in", maxBytes: 1000, mayFetch: async () => true });
  const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

  it("are downloaded, without their placeholder in the text", async () => {
    const home = tempDir();
    await bench.connected({ media: media(home) });
    bench.server.sendFile(bench.ann, ANN, { name: "a.png", type: "image/png", content: PNG }, "look");
    const { attachments } = await bench.inbox.message("look");
    expect(attachments).toMatchObject([{ kind: "image", name: "a.png", bytes: PNG.length }]);
    expect(fs.readFileSync(path.join(home, attachments[0]!.path!))).toEqual(PNG);
  });

  it("that the Mac doesn't have, or that are too large, have the reason", async () => {
    await bench.connected({ media: media(tempDir()) });
    const file = { name: "a.png", type: "image/png", content: PNG };
    const kept = bench.server.mac.keep(file);
    const raw = { attachments: [{ guid: "gone", transferName: "a.png" }] };
    bench.server.say(bench.ann, ANN, "gone", { files: [kept], raw });
    expect((await bench.inbox.message("gone")).attachments[0]!.problem).toMatch(/HTTP 404/);
    bench.server.sendFile(bench.ann, ANN, { ...file, content: Buffer.alloc(2000) });
    expect((await bench.inbox.message("")).attachments[0]!.problem).toMatch(/larger than/);
    expect(JSON.stringify(bench.inbox.received)).not.toContain(bench.server.password);
  });
});
