import { describe, expect, it } from "vitest";
import { probeMattermost } from "../../../src/adapters/mattermost/probe.js";
import { renderParts } from "../../../src/adapters/mattermost/render.js";
import { lookUp, send } from "../../support/send.js";
import { outbound, outgoingFile, patience, setUp } from "./support.js";

describe("an answer", () => {
  it("goes into the thread of its question", async () => {
    const { emulator, adapter, ann, town } = await setUp();
    const root = emulator.world.post(town, ann, "root");
    const target = { chatId: town.id, chatType: "channel", threadId: root.id };
    await send(adapter, outbound(target, "**yes**"), patience());
    expect(emulator.said(town)).toMatchObject([{ message: "**yes**", root_id: root.id }]);
  });

  it("goes to the root if the thread's id is a reply's, and to the channel if the thread is gone", async () => {
    const { emulator, adapter, ann, town } = await setUp();
    const root = emulator.world.post(town, ann, "root");
    const reply = emulator.world.post(town, ann, "reply", { root_id: root.id });
    const to = (threadId: string) => ({ chatId: town.id, chatType: "channel", threadId });
    await send(adapter, outbound(to(reply.id), "one"), patience());
    emulator.remove(root);
    await send(adapter, outbound(to(root.id), "two"), patience());
    expect(emulator.said(town).map(({ message, root_id }) => [message, root_id])).toEqual([
      ["one", root.id],
      ["two", ""],
    ]);
  });

  it("is retried, not moved to the channel, if its thread can't be looked up", async () => {
    const { emulator, adapter, ann, town } = await setUp();
    const root = emulator.world.post(town, ann, "root");
    const reply = emulator.world.post(town, ann, "reply", { root_id: root.id });
    const answer = outbound({ chatId: town.id, chatType: "channel", threadId: reply.id }, "one");
    emulator.server.arm("GET", new RegExp(`posts/${reply.id}$`), { kind: "answer", status: 503 });
    await expect(send(adapter, answer, patience())).rejects.toMatchObject({ outcome: "never_sent" });
    await send(adapter, answer, patience());
    expect(emulator.said(town).map(({ message, root_id }) => [message, root_id])).toEqual([["one", root.id]]);
  });

  it("has its files in posts of five, and a note for one that is gone", async () => {
    const { emulator, adapter, dm, home } = await setUp();
    const files = Array.from({ length: 6 }, (_, i) => outgoingFile(home, `${i}.txt`, `file ${i}`));
    const lost = { ...files[0]!, path: "lost.txt", name: "lost.txt" };
    const message = outbound({ chatId: dm.id }, "here", { files: [...files, lost] });
    await send(adapter, message, patience());
    const said = emulator.said(dm);
    expect(said.map(({ file_ids }) => file_ids.length)).toEqual([0, 5, 1]);
    expect(emulator.world.files.get(said[2]!.file_ids[0]!)?.content.toString()).toBe("file 5");
    expect(said[2]!.message).toContain("lost.txt was not sent");
  });

  it("is found by its mark when the server has forgotten the pending id", async () => {
    const { emulator, adapter, dm, ann } = await setUp();
    const question = emulator.say(dm, ann, "question");
    const message = outbound({ chatId: dm.id, replyTo: question.id }, "hi");
    emulator.server.arm("POST", /posts$/, { kind: "drop_after" });
    await expect(send(adapter, message, patience())).rejects.toMatchObject({ outcome: "unknown" });
    for (let i = 0; i < 250; i++) emulator.world.post(dm, ann, `m${i}`);
    expect(await lookUp(adapter, message, patience())).toEqual([emulator.said(dm)[0]!.id]);
  });

  it("takes the place of a preview whose id was lost", async () => {
    const { emulator, adapter, dm, ann } = await setUp();
    const question = emulator.say(dm, ann, "question");
    const message = outbound({ chatId: dm.id, replyTo: question.id }, "The end.");
    const shown = await adapter.show(message.target, null, "The", patience());
    expect(await adapter.findPreview(message.target, patience())).toBe(shown);
    await adapter.abandon(message.target, shown!, "The", patience());
    expect(await adapter.findPreview(message.target, patience())).toBeNull();
  });

  it("waits as long as the server asked, without another call", async () => {
    const { emulator, adapter, dm } = await setUp();
    const headers = { "x-ratelimit-reset": "30" };
    emulator.server.arm("POST", /posts$/, { kind: "answer", status: 429, headers });
    for (let i = 0; i < 2; i++)
      await expect(send(adapter, outbound({ chatId: dm.id }, "hi"), patience())).rejects.toMatchObject({
        outcome: "never_sent",
      });
    expect(emulator.server.count("POST", /posts$/)).toBe(1);
  });
});

describe("the text", () => {
  it("is Mattermost's Markdown, and calls no channel", () => {
    const markdown = "# Title\n\n*a* **b** `c` [d](https://e.f/(g)) @channel\n\n- x\n- y\n\n> q";
    expect(renderParts(markdown)).toEqual([
      "# Title\n*a* **b** `c` [d](https://e.f/%28g%29) @\u200bchannel\n\n- x\n- y\n\n> q",
    ]);
  });
});

describe("doctor", () => {
  const probe = (apiUrl: string, token: string) =>
    probeMattermost({ apiUrl, token }, { running: false, signal: patience() });

  it("names the bot, or says what is wrong", async () => {
    const { emulator } = await setUp();
    const { bot, findings } = await probe(emulator.url, emulator.token);
    expect(bot?.name).toBe("@hermes");
    expect(findings.map(({ state }) => state)).toEqual(["ok", "ok"]);
    const refused = await probe(emulator.url, "wrong");
    expect(refused.findings[0]).toMatchObject({ state: "fail", message: expect.stringContaining("token") });
    await emulator.close();
    const down = await probe(emulator.url, emulator.token);
    expect(down.findings[0]).toMatchObject({
      state: "fail",
      message: expect.stringContaining("can't be reached"),
    });
  });
});
