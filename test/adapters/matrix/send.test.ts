import { describe, expect, it } from "vitest";
import { probeMatrix } from "../../../src/adapters/matrix/probe.js";
import { render } from "../../../src/adapters/matrix/render.js";
import { lookUp, send } from "../../support/send.js";
import { ANN, outbound, outgoingFile, patience, setUp } from "./support.js";

describe("an answer", () => {
  it("is HTML with a plain copy, in the thread of its question", async () => {
    const { emulator, adapter, hall } = await setUp();
    const root = emulator.say(hall, ANN, "root");
    const target = { chatId: hall.id, chatType: "group", threadId: root.event_id, userId: ANN };
    await send(adapter, outbound(target, "**yes** <b>"), patience());
    expect(emulator.said(hall)).toMatchObject([
      { text: "yes <b>", html: "<strong>yes</strong> &lt;b&gt;", threadId: root.event_id, replyTo: null },
    ]);
    const { content } = hall.timeline.at(-1)!.event;
    expect(content["m.mentions"]).toEqual({ user_ids: [ANN] });
  });

  it("has its files, and a note for one that is gone", async () => {
    const { emulator, adapter, dm, home } = await setUp();
    const file = outgoingFile(home, "a.txt", "file a");
    const lost = { ...file, path: "lost.txt", name: "lost.txt" };
    await send(adapter, outbound({ chatId: dm.id }, "here", { files: [file, lost] }), patience());
    expect(emulator.said(dm).map(({ text }) => text)).toEqual([
      "here",
      "a.txt",
      expect.stringContaining("lost.txt"),
    ]);
    expect(emulator.world.media.get("m0")?.content.toString()).toBe("file a");
  });

  it("is found by its mark when the server has forgotten the transaction", async () => {
    const { emulator, adapter, dm } = await setUp();
    const question = emulator.say(dm, ANN, "question");
    const message = outbound({ chatId: dm.id, replyTo: question.event_id }, "hi");
    emulator.server.arm("PUT", /\/send\//, { kind: "drop_after" });
    await expect(send(adapter, message, patience())).rejects.toMatchObject({ outcome: "unknown" });
    Object.assign(dm.timeline.at(-1)!.event, { unsigned: {} });
    for (let i = 0; i < 250; i++) emulator.say(dm, ANN, `m${i}`);
    expect(await lookUp(adapter, message, patience())).toEqual([emulator.said(dm)[0]!.id]);
  });

  it("takes the place of a preview whose id was lost, unless that was finished", async () => {
    const { emulator, adapter, dm } = await setUp();
    const question = emulator.say(dm, ANN, "question");
    const message = outbound({ chatId: dm.id, replyTo: question.event_id }, "The end.");
    const shown = await adapter.show(message.target, null, "The", patience());
    await adapter.show(message.target, shown, "The e", patience());
    expect(await adapter.findPreview(message.target, patience())).toBe(shown);
    await send(adapter, { ...message, replaces: shown! }, patience());
    expect(await adapter.findPreview(message.target, patience())).toBeNull();
    expect(await lookUp(adapter, message, patience())).toEqual([shown]);
  });

  it("never goes into an encrypted room", async () => {
    const { emulator, adapter, dm } = await setUp();
    emulator.world.setState(dm, "m.room.encryption", { algorithm: "m.megolm.v1.aes-sha2" });
    const sending = send(adapter, outbound({ chatId: dm.id }, "hi"), patience());
    await expect(sending).rejects.toMatchObject({
      outcome: "refused",
      message: expect.stringContaining("encrypted"),
    });
    expect(emulator.said(dm)).toEqual([]);
  });

  it("waits as long as the server asked, without another call", async () => {
    const { emulator, adapter, dm } = await setUp();
    const body = { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 30_000 };
    emulator.server.arm("PUT", /\/send\//, { kind: "answer", status: 429, body });
    for (let i = 0; i < 2; i++)
      await expect(send(adapter, outbound({ chatId: dm.id }, "hi"), patience())).rejects.toMatchObject({
        outcome: "never_sent",
      });
    expect(emulator.server.count("PUT", /\/send\//)).toBe(1);
  });
});

describe("the text", () => {
  it("has tags for the ends of lines, but not in code", () => {
    const [part] = render("a\n- b\n  - c\n\n```js\nx\ny\n```\n\n[d](https://e.f)");
    expect(part?.html).toContain('<pre><code class="language-js">x\ny</code></pre>');
    expect(part?.html).toContain("• b<br>&nbsp;&nbsp;◦ c");
    expect(part?.html).toContain('<a href="https://e.f">d</a>');
    expect(part?.html.replace(/<pre>.*<\/pre>/s, "")).not.toContain("\n");
  });

  it("fits into an event, also if its characters have many bytes", () => {
    for (const { html, text } of render("漢字 ".repeat(20_000)))
      expect(Buffer.byteLength(JSON.stringify({ html, text }))).toBeLessThan(60_000);
  });
});

describe("doctor", () => {
  const probe = (apiUrl: string, token: string) =>
    probeMatrix({ apiUrl, token }, { running: false, signal: patience() });

  it("names the bot and its encrypted rooms, or says what is wrong", async () => {
    const { emulator, dm } = await setUp();
    emulator.world.setState(dm, "m.room.encryption", { algorithm: "m.megolm.v1.aes-sha2" });
    const { bot, findings } = await probe(emulator.url, emulator.token);
    expect(bot?.id).toBe("@hermes:test.example");
    expect(findings.map(({ state }) => state)).toEqual(["ok", "ok", "warn"]);
    expect(findings[2]?.message).toContain(dm.id);
    const refused = await probe(emulator.url, "wrong");
    expect(refused.findings[0]).toMatchObject({ state: "fail", message: expect.stringContaining("token") });
  });
});
