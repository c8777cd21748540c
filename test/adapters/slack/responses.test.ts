import { afterEach, describe, expect, it } from "vitest";
import { send } from "../../support/send.js";
import { deadline, outbound, type Setup, setup } from "./support.js";

let b: Setup;
afterEach(() => b.close());

describe("answers to slash commands", () => {
  async function sendCommand(slack = b.slack, text = "status") {
    const before = b.inbox.received.length;
    slack.command("C9", "U1", "/hermes", text);
    await slack.until(() => b.inbox.received.length > before);
    return b.inbox.received.at(-1)!;
  }

  it("uses the response URL in a channel without the bot", async () => {
    b = await setup();
    b.slack.room("C9", "channel", ["U1"]).members.delete(b.slack.workspace.botUser);
    const { origin } = await sendCommand();
    const target = { chatId: "C9", chatType: "group", replyTo: origin.messageId! };
    await send(b.adapter, outbound(target, "All is **well**", { kind: "command" }), deadline());
    expect(b.slack.workspace.whispers).toEqual([{ channel: "C9", user: "U1", text: "All is *well*" }]);
    // Only answers to commands have a response URL.
    const other = send(b.adapter, outbound({ ...target, replyTo: null }, "x"), deadline());
    await expect(other).rejects.toMatchObject({ outcome: "refused" });
  });

  it("keeps the response URL over a restart", async () => {
    b = await setup();
    b.slack.room("C9", "channel", ["U1"]).members.delete(b.slack.workspace.botUser);
    const { origin } = await sendCommand();
    await b.adapter.disconnect();
    const next = await setup({ slack: b.slack, inbox: b.inbox });
    await send(next.adapter, outbound({ chatId: "C9", replyTo: origin.messageId! }, "late"), deadline());
    expect(b.slack.workspace.whispers.map(({ text }) => text)).toEqual(["late"]);
    await next.close();
  });

  it("posts in a channel with the bot", async () => {
    b = await setup();
    b.slack.room("C9", "channel", ["U1"]);
    const { origin } = await sendCommand();
    await send(b.adapter, outbound({ chatId: "C9", replyTo: origin.messageId! }, "here"), deadline());
    expect(b.slack.workspace.texts("C9")).toEqual(["here"]);
    expect(b.slack.workspace.whispers).toEqual([]);
  });
});
