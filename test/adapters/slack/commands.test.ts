import { afterEach, describe, expect, it } from "vitest";
import { type Bench, bench, outbound, patient } from "./harness.js";

let b: Bench;
afterEach(() => b.close());

describe("the answer to a slash command", () => {
  async function commanded(slack = b.slack, text = "status") {
    const before = b.inbox.received.length;
    slack.command("C9", "U1", "/hermes", text);
    await slack.until(() => b.inbox.received.length > before);
    return b.inbox.received.at(-1)!;
  }

  it("in a channel without the bot goes to the one who gave it", async () => {
    b = await bench();
    b.slack.room("C9", "channel", ["U1"]).members.delete(b.slack.workspace.botUser);
    const { origin } = await commanded();
    const target = { chatId: "C9", chatType: "group", replyTo: origin.messageId! };
    await b.adapter.send(outbound(target, "All is **well**", { kind: "command" }), patient());
    expect(b.slack.workspace.whispers).toEqual([{ channel: "C9", user: "U1", text: "All is *well*" }]);
    // Another answer there has no such way.
    const other = b.adapter.send(outbound({ ...target, replyTo: null }, "x"), patient());
    await expect(other).rejects.toMatchObject({ outcome: "refused" });
  });

  it("finds its way after a restart", async () => {
    b = await bench();
    b.slack.room("C9", "channel", ["U1"]).members.delete(b.slack.workspace.botUser);
    const { origin } = await commanded();
    await b.adapter.disconnect();
    const next = await bench({ slack: b.slack, inbox: b.inbox });
    await next.adapter.send(outbound({ chatId: "C9", replyTo: origin.messageId! }, "late"), patient());
    expect(b.slack.workspace.whispers.map(({ text }) => text)).toEqual(["late"]);
    await next.close();
  });

  it("is an ordinary post where the bot is a member", async () => {
    b = await bench();
    b.slack.room("C9", "channel", ["U1"]);
    const { origin } = await commanded();
    await b.adapter.send(outbound({ chatId: "C9", replyTo: origin.messageId! }, "here"), patient());
    expect(b.slack.workspace.texts("C9")).toEqual(["here"]);
    expect(b.slack.workspace.whispers).toEqual([]);
  });
});
