import { describe, expect, it } from "vitest";
import { send } from "../../support/send.js";
import { until } from "../../support/until.js";
import { answer, connected, makeAdapter, soon } from "./support.js";

describe("slash commands", () => {
  it("show 'is thinking' at once, which the answer replaces", async () => {
    const { emulator, inbox, adapter } = await connected();
    let open = () => {};
    inbox.gate = new Promise((resolve) => {
      open = resolve;
    });
    const ada = emulator.user("Ada");
    const channel = emulator.channel(emulator.guild("S"), "c");
    const asked = emulator.command(ada, channel, "title", "My title");
    await until("it is put off", () => asked.acknowledgedAfterMs !== null);
    expect(emulator.said(channel)).toMatchObject([{ loading: true }]);
    open();
    const message = await inbox.message("/title My title");
    expect(message).toMatchObject({
      eventId: asked.id,
      mentioned: true,
      origin: { chatType: "group", userId: ada.id },
    });
    await send(adapter, answer(message, `Done. ${"word ".repeat(500)}`, { kind: "command" }), soon());
    const said = emulator.said(channel);
    expect(said).toHaveLength(2);
    expect(said[0]).toMatchObject({
      id: asked.original!.id,
      loading: false,
      text: expect.stringMatching(/^Done/),
    });
  });

  it("have one answer in that place; further messages follow it", async () => {
    const { emulator, inbox, adapter } = await connected();
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    emulator.command(ada, dm, "status");
    const message = await inbox.message("/status");
    await send(adapter, answer(message, "a notice", { kind: "notice" }), soon());
    await send(adapter, answer(message, "the answer"), soon());
    expect(emulator.said(dm).map(({ text, replyTo }) => [text, replyTo])).toEqual([
      ["a notice", null],
      ["the answer", null],
    ]);
  });

  it("without an answer don't show 'is thinking' forever", async () => {
    const { emulator, inbox, adapter } = await connected();
    const ada = emulator.user("Ada");
    const channel = emulator.channel(emulator.guild("S"), "c");
    emulator.command(ada, channel, "status");
    const { target } = answer(await inbox.message("/status"), "");
    expect(emulator.said(channel)).toMatchObject([{ loading: true }]);
    adapter.dismiss(target);
    await until("it is gone", () => emulator.said(channel).length === 0);
  });

  it("are answered in the same place after a restart, also if the first attempt had arrived", async () => {
    const bench = await connected();
    const { emulator, inbox } = bench;
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    emulator.command(ada, dm, "status");
    const reply = answer(await inbox.message("/status"), "fine");
    emulator.faults.arm("PATCH", /^\/webhooks\//, { kind: "drop_after" });
    await expect(send(bench.adapter, reply, soon())).rejects.toMatchObject({ outcome: "unknown" });
    await bench.adapter.disconnect();
    const next = makeAdapter(emulator);
    await next.adapter.connect(inbox, next.stop.signal);
    await send(next.adapter, reply, soon());
    expect(emulator.said(dm)).toMatchObject([{ text: "fine", loading: false }]);
  });

  it("show their answer while it is written", async () => {
    const { emulator, inbox, adapter } = await connected();
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    emulator.command(ada, dm, "retry");
    const message = await inbox.message("/retry");
    const id = await adapter.show(answer(message, "").target, null, "Hel", soon());
    await send(adapter, answer(message, "Hello", { replaces: id! }), soon());
    expect(emulator.said(dm)).toMatchObject([{ id, text: "Hello", earlier: ["", "Hel"] }]);
  });

  it("keep the text of an abandoned preview until another message replaces it", async () => {
    const { emulator, inbox, adapter } = await connected();
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    emulator.command(ada, dm, "retry");
    const message = await inbox.message("/retry");
    const { target } = answer(message, "");
    const id = await adapter.show(target, null, "Hel ▉", soon());
    await adapter.abandon(target, id!, "Hel", soon());
    expect(emulator.said(dm)).toMatchObject([{ id, text: "Hel" }]);
    await send(adapter, answer(message, "That failed", { kind: "notice" }), soon());
    await adapter.abandon(target, id!, "Hel", soon());
    await adapter.abandon(target, id!, "", soon());
    expect(emulator.said(dm)).toMatchObject([{ id, text: "That failed" }]);
  });

  it("remove 'is thinking' when an empty preview is abandoned", async () => {
    const { emulator, inbox, adapter } = await connected();
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    emulator.command(ada, dm, "retry");
    const { target } = answer(await inbox.message("/retry"), "");
    const id = await adapter.show(target, null, "Hel ▉", soon());
    await adapter.abandon(target, id!, "", soon());
    expect(emulator.said(dm)).toEqual([]);
  });

  it("are answered by a new message after their token has expired, without blaming the bot's token", async () => {
    const { emulator, inbox, adapter } = await connected();
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    emulator.command(ada, dm, "retry");
    const message = await inbox.message("/retry");
    const over = { message: "Invalid Webhook Token", code: 50027 };
    emulator.faults.arm("PATCH", /^\/webhooks\//, { kind: "answer", status: 401, body: over });
    await send(adapter, answer(message, "at last"), soon());
    expect(emulator.said(dm).map(({ text }) => text)).toEqual(["", "at last"]);
    expect(adapter.health().state).toBe("ok");
  });

  it("that come too late are not executed: Discord has shown a failure", async () => {
    const { emulator, inbox, lines } = await connected({}, { answerWithinMs: -1 });
    const ada = emulator.user("Ada");
    emulator.command(ada, emulator.dm(ada), "new");
    await until("it is logged", () => lines.some(({ message }) => /too late/.test(message)));
    emulator.say(ada, emulator.dm(ada), "hello");
    await inbox.message("hello");
    expect(inbox.texts).toEqual(["hello"]);
  });

  it("are in Discord's menu", async () => {
    const { emulator, adapter } = await connected();
    await adapter.registerCommands(
      [
        { name: "new", description: "Starts a new session" },
        { name: "Title", description: "x".repeat(200), usage: "[text]" },
        { name: "not a name", description: "is left out" },
      ],
      soon(),
    );
    expect(emulator.commands).toMatchObject([
      { name: "new", description: "Starts a new session", options: [], type: 1 },
      { name: "title", options: [{ type: 3, name: "args", description: "[text]", required: false }] },
    ]);
    expect((emulator.commands[1]!.description as string).length).toBe(100);
  });
});
