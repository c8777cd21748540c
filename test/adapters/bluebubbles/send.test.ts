import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { probeBlueBubbles } from "../../../src/adapters/bluebubbles/probe.js";
import { lookUp, send } from "../../support/send.js";
import { tempDir } from "../../support/temp.js";
import { until } from "../../support/until.js";
import { ANN, Bench, outbound, patience } from "./support.js";

let bench: Bench;

beforeEach(async () => {
  bench = await new Bench().start();
});
afterEach(() => bench.close());

const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

const texts = () => bench.server.said(bench.ann).map(({ text }) => text);

describe("an answer", () => {
  it("has no markup", async () => {
    const adapter = await bench.connected();
    await send(adapter, outbound("# Hi\n\n**bold** [two](https://a.example)\n\n- one"), patience());
    expect(texts()).toEqual(["Hi\n\nbold two (https://a.example)\n\n• one"]);
  });

  it("goes to the chat by which the person wrote last", async () => {
    const adapter = await bench.connected();
    const sms = bench.server.mac.direct(ANN, "SMS");
    const { guid: replyTo } = bench.server.say(sms, ANN, "hello");
    await bench.inbox.message("hello");
    await send(adapter, outbound("hi"), patience());
    expect(bench.server.said(sms)).toHaveLength(1);
    await adapter.disconnect();
    // After a restart the question tells.
    await send(await bench.connected(), outbound("there", {}, { replyTo }), patience());
    expect(bench.server.said(sms)).toHaveLength(2);
  });

  it("to a person never goes to a group", async () => {
    const adapter = await bench.connected();
    bench.server.mac.chats.splice(0, 1);
    bench.server.privateApi = false;
    await adapter.disconnect();
    const error = await failure(send(await bench.connected(), outbound("secret"), patience()));
    expect(error).toMatchObject({ outcome: "refused", message: expect.stringContaining("Messages app") });
    expect(bench.server.mac.all).toEqual([]);
  });

  it("begins a chat with the Private API", async () => {
    const adapter = await bench.connected();
    await send(adapter, outbound("hi", {}, { chatId: "new@example.org" }), patience());
    expect(bench.server.said(bench.server.mac.direct("new@example.org"))).toHaveLength(1);
  });

  it("is a reply only with the Private API, and if wanted", async () => {
    const question = bench.server.say(bench.ann, ANN, "hello");
    const target = { replyTo: question.guid };
    for (const [replyToMode, privateApi] of [
      ["first", true],
      ["off", true],
      ["first", false],
    ] as const) {
      bench.server.privateApi = privateApi;
      const adapter = await bench.connected({ replyToMode });
      await send(adapter, outbound("hi", {}, target), patience());
      await adapter.disconnect();
    }
    expect(bench.server.said(bench.ann).map(({ threadGuid }) => threadGuid)).toEqual([
      question.guid,
      null,
      null,
    ]);
  });

  it.each([
    [500, { data: { error: 22 } }, "refused", /isn't registered with iMessage/],
    [500, { error: { message: "Transaction timed out" } }, "unknown", /HTTP 500/],
    [400, { error: { message: "Message is already queued to be sent!" } }, "unknown", /earlier attempt/],
    [400, { error: { message: "Chat does not exist!" } }, "refused", /HTTP 400/],
    [401, {}, "never_sent", /BLUEBUBBLES_PASSWORD/],
  ])("that the server rejects with HTTP %i %j is %s", async (status, body, outcome, words) => {
    const adapter = await bench.connected();
    bench.server.failSend({ kind: "reply", reply: { status, body } });
    const error = await failure(send(adapter, outbound("hi"), patience()));
    expect(error).toMatchObject({ outcome, message: expect.stringMatching(words) });
    expect(String(error)).not.toContain(ANN);
    expect(String(error)).not.toContain(bench.server.password);
  });

  it("has its files after the text, voice as such", async () => {
    const home = tempDir();
    const media = { home, folder: "media/in", maxBytes: 1000, mayFetch: async () => true };
    const adapter = await bench.connected({ media });
    fs.writeFileSync(path.join(home, "f"), "content");
    const file = { path: "f", mimeType: "application/pdf", bytes: 7 };
    const files = [
      { ...file, name: "a.pdf" },
      { ...file, name: "b.mp3", mimeType: "audio/mpeg", as: "voice" as const },
    ];
    const message = outbound("here", { files });
    await send(adapter, message, patience());
    const sent = bench.server.said(bench.ann);
    expect(sent.map(({ isAudio }) => isAudio)).toEqual([false, false, true]);
    const kept = [...bench.server.mac.files.values()];
    expect(kept.map(({ name, content }) => [name, content.toString()])).toEqual([
      ["a.pdf", "content"],
      ["b.mp3", "content"],
    ]);
  });
});

describe("a send in doubt", () => {
  it("isn't confused with the same text to another question", async () => {
    const adapter = await bench.connected();
    const question = bench.server.say(bench.ann, ANN, "a question");
    await send(adapter, outbound("yes", {}, { replyTo: question.guid }), patience());
    const other = outbound("yes", {}, { replyTo: question.guid });
    expect(await lookUp(adapter, other, patience())).toBe("missing");
  });

  it("is unknown if it answers nothing and the text was sent before", async () => {
    const adapter = await bench.connected();
    await send(adapter, outbound("a reminder"), patience());
    await adapter.disconnect();
    const next = await bench.connected();
    expect(await lookUp(next, outbound("a reminder"), patience())).toBe("unknown");
    expect(await lookUp(next, outbound("another"), patience())).toBe("missing");
  });

  it("is not sent again while the server is busy with it", async () => {
    const adapter = await bench.connected();
    const message = outbound("hi");
    bench.server.queued.add(`hermes-${message.nonce}-0`);
    expect(await failure(send(adapter, message, patience()))).toMatchObject({ outcome: "unknown" });
    expect(texts()).toEqual([]);
  });

  it("that can't be looked up now is tried again later", async () => {
    const adapter = await bench.connected();
    bench.server.faults.outage = true;
    expect(await failure(lookUp(adapter, outbound("hi"), patience()))).toMatchObject({
      outcome: "never_sent",
    });
  });

  it("is marked if it may be a repeat", async () => {
    const adapter = await bench.connected();
    const message = outbound("hi");
    const context = { index: 0, count: 1, sent: [], mayBeRepeat: true };
    await adapter.sendPart(message, adapter.render(message)[0]!, context, patience());
    expect(texts()).toEqual(["(This may be a repeat.)\nhi"]);
  });
});

describe("signs", () => {
  async function asked(options = {}) {
    const adapter = await bench.connected(options);
    const { guid } = bench.server.say(bench.ann, ANN, "hello");
    await bench.inbox.message("hello");
    return { adapter, target: outbound("", {}, { replyTo: guid }).target };
  }

  it("of typing come with a read receipt, at intervals, and end", async () => {
    const { adapter, target } = await asked();
    for (let i = 0; i < 5; i++) adapter.type(target);
    await until("it is shown", () => bench.server.typing.length > 0 && bench.server.reads.length > 0);
    adapter.dismiss(target);
    await until("it is over", () => bench.server.typing.at(-1)?.isTyping === false);
    expect(bench.server.typing).toHaveLength(2);
    expect(bench.server.reads).toEqual([bench.ann.guid]);
  });

  it("need the Private API, which may come later", async () => {
    bench.server.privateApi = false;
    const { adapter, target } = await asked({ pollSeconds: 0.02, timing: { greetMs: 20 } });
    adapter.type(target);
    await adapter.react(target, "working", patience());
    expect(bench.server.calls.some(({ path: at }) => at.endsWith("/typing"))).toBe(false);
    bench.server.privateApi = true;
    await until("they work", async () => {
      await adapter.react(target, "done", patience());
      return bench.server.tapbacks.size > 0;
    });
    expect([...bench.server.tapbacks.values()]).toEqual(["like"]);
  });
});

describe("the probe", () => {
  const states = async (options = {}, running = true) =>
    (await probeBlueBubbles({ ...bench.options, ...options }, { running, signal: patience() })).findings.map(
      ({ state }) => state,
    );

  it("knows the server, the Private API and the webhook", async () => {
    expect(await states()).toEqual(["ok", "ok", "fail"]);
    await bench.connected();
    expect(await states()).toEqual(["ok", "ok", "ok"]);
    bench.server.privateApi = false;
    bench.server.version = "1.5.2";
    expect(await states({}, false)).toEqual(["ok", "fail", "warn"]);
  });

  it("finds a wrong password or address", async () => {
    expect(await states({ password: "wrong" })).toEqual(["fail"]);
    expect(await states({ apiUrl: "http://127.0.0.1:1" })).toEqual(["fail"]);
  });
});
