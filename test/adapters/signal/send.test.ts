import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { probeSignal } from "../../../src/adapters/signal/probe.js";
import { render, withNote } from "../../../src/adapters/signal/render.js";
import type { OutboundFile } from "../../../src/message.js";
import { answer, failure } from "../../contract/tell.js";
import { RestServer } from "../../emulators/rest-server.js";
import { NUMBER, rateLimited } from "../../emulators/signal/index.js";
import { send } from "../../support/send.js";
import { emulated, patience, setUp } from "./support.js";

describe("the text", () => {
  it("has its styles as ranges in UTF-16 units", () => {
    const [part] = render("😀 **bold** and `code`, ~~gone~~\n\n- *it*");
    const cut = (range: string) => {
      const [start, length, style] = range.split(":");
      return [part!.text.slice(Number(start), Number(start) + Number(length)), style];
    };
    expect(part!.styles.map(cut)).toEqual([
      ["bold", "BOLD"],
      ["code", "MONOSPACE"],
      ["gone", "STRIKETHROUGH"],
      ["it", "ITALIC"],
    ]);
    expect(withNote({ text: "x", styles: ["0:1:BOLD"] }, "note").styles).toEqual(["5:1:BOLD"]);
  });
});

describe("a file", () => {
  const kept = (home: string, name: string, mimeType: string, more: Partial<OutboundFile> = {}) => {
    fs.writeFileSync(path.join(home, name), "sound");
    return { name, path: name, mimeType, bytes: 5, ...more };
  };

  it("is part of the call; a voice message is one only where phones can play it", async () => {
    const { emulator, inbox, adapter, home } = await setUp();
    const ann = emulator.person("Ann");
    emulator.say(ann, "sing");
    const question = await inbox.message("sing");
    const files = [
      kept(home, "a b.m4a", "audio/mp4", { as: "voice" }),
      kept(home, "c.ogg", "audio/ogg", { as: "voice" }),
    ];
    await send(adapter, answer(question, "here", { files }), patience());
    const [text, voice, other] = emulator.said(ann.number!);
    const data = Buffer.from("sound").toString("base64");
    expect(text).toMatchObject({ text: "here", attachments: [] });
    expect(voice!.attachments).toEqual([`data:audio/mp4;filename=a%20b.m4a;base64,${data}`]);
    expect([voice!.voiceNote, other!.voiceNote]).toEqual([true, false]);
  });
});

describe("a rate limit", () => {
  it("is remembered: nothing is sent before it ends", async () => {
    const { emulator, inbox, adapter } = await setUp();
    emulator.say(emulator.person("Ann"), "hello");
    const question = await inbox.message("hello");
    emulator.server.arm("POST", /\/rpc\/send$/, { kind: "answer", ...rateLimited(60) });
    const first = await failure(send(adapter, answer(question, "hi"), patience()));
    const second = await failure(send(adapter, answer(question, "hi"), patience()));
    expect([first.outcome, second.outcome]).toEqual(["never_sent", "never_sent"]);
    expect(second.retryAfterMs).toBeGreaterThan(50_000);
    expect(emulator.server.count("POST", /\/rpc\/send$/)).toBe(1);
  });
});

describe("doctor", () => {
  const probe = async (apiUrl: string, number = NUMBER, running = false) =>
    (await probeSignal({ number, apiUrl }, { running, signal: patience() })).findings;

  it("finds out whether signal-cli waits for the gateway", async () => {
    const waiting = await emulated();
    expect((await probe(waiting.url)).map(({ state }) => state)).toEqual(["ok", "ok"]);
    const eager = await emulated({ onStart: true });
    const [, mode] = await probe(eager.url);
    expect(mode).toMatchObject({
      state: "warn",
      fix: expect.stringContaining("--receive-mode=on-connection"),
    });
    expect(waiting.server.count("GET", /events/)).toBe(0);
  });

  it("says that it can't know while the gateway listens, or with an old version", async () => {
    const { emulator } = await setUp();
    expect((await probe(emulator.url, NUMBER, true))[1]!.message).toContain("not checked");
    const old = await emulated();
    old.version = "0.11.5.1";
    expect((await probe(old.url))[1]!.message).toContain("not checked");
    expect(old.server.count("POST", /receive/)).toBe(0);
  });

  it("names an account that signal-cli doesn't know", async () => {
    const { url } = await emulated();
    expect(await probe(url, "+15559999")).toMatchObject([
      { state: "fail", message: expect.stringContaining("SIGNAL_ACCOUNT") },
    ]);
  });

  it("names the container that isn't signal-cli", async () => {
    const container = new RestServer(() => ({ status: 404 }));
    await container.start();
    const findings = await probe(container.url);
    await container.stop();
    expect(findings).toMatchObject([{ state: "fail", message: expect.stringContaining("bbernhard") }]);
    expect((await probe(container.url))[0]!.message).toContain("can't be reached");
  });
});
