import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { consoleAdapter } from "../../src/adapters/console/index.js";
import { type InboundMessage, targetOf } from "../../src/message.js";
import { receivingOnly } from "../support/events.js";
import { send } from "../support/send.js";

function open(receive: (message: InboundMessage) => Promise<void>) {
  const input = new PassThrough();
  const output = new PassThrough({ encoding: "utf8" });
  const adapter = consoleAdapter({ input, output });
  const stop = new AbortController();
  return {
    input,
    output,
    adapter,
    connect: () => adapter.connect(receivingOnly(receive), stop.signal),
    stop,
  };
}

describe("the console", () => {
  it("takes lines as messages, in order, and skips blank ones", async () => {
    const inbox: InboundMessage[] = [];
    const { input, connect } = open(async (message) => void inbox.push(message));
    await connect();
    input.write("one\n\n  \ntwo\n");
    await vi.waitFor(() => expect(inbox.map(({ text }) => text)).toEqual(["one", "two"]));
    expect(inbox[0]).toMatchObject({
      platform: "console",
      origin: { chatType: "dm", chatId: "local", userId: "local" },
      authenticated: true,
    });
    expect(inbox[0]!.eventId).not.toBe(inbox[1]!.eventId);
  });

  it("prints answers without control characters", async () => {
    const { output, adapter, connect } = open(async () => {});
    await connect();
    const origin = { platform: "console", chatType: "dm", chatId: "local" };
    const target = targetOf({ platform: "console", account: "console", origin });
    const message = { id: 4, nonce: "n", kind: "answer", target, turnId: null, mayBeRepeat: false } as const;
    const text = "Hi\n\tthere\u001b]0;evil\u0007";
    const receipt = await send(adapter, { ...message, text }, new AbortController().signal);
    expect(receipt).toEqual({ messageIds: ["out:4"] });
    expect(output.read()).toBe("Hi\n\tthere]0;evil\n\n");
  });

  it("reports a rejected line, and continues", async () => {
    let isFull = true;
    const inbox: string[] = [];
    const { input, output, connect, adapter, stop } = open(async ({ text }) => {
      if (isFull) throw new Error("The disk is full");
      inbox.push(text);
    });
    await connect();
    input.write("lost\n");
    await vi.waitFor(() => expect(output.read()).toContain("Not accepted: The disk is full"));
    isFull = false;
    input.write("kept\n");
    await vi.waitFor(() => expect(inbox).toEqual(["kept"]));
    expect(adapter.health().state).toBe("ok");
    stop.abort();
    expect(adapter.health().state).toBe("down");
  });
});
