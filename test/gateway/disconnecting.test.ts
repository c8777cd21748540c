import { describe, expect, it } from "vitest";
import type { AdapterEvents } from "../../src/adapters/adapter.js";
import { TestGateway } from "../support/gateway.js";
import { inDm, TestAdapter } from "../support/test-adapter.js";
import { until } from "../support/until.js";

/** An operator disconnects a bot and connects it again: nothing is lost, and nothing is sent twice. */

const ANN = inDm("ann");
const target = {
  ...{ platform: "test", account: "bot", chatType: "dm", chatId: ANN.chatId },
  ...{ threadId: null, userId: null, replyTo: null },
} as const;

/** The platform doesn't answer until the attempt is given up. */
class Silent extends TestAdapter {
  isSilent = false;
  attempts = 0;

  override async connect(events: AdapterEvents, signal?: AbortSignal): Promise<void> {
    this.attempts += 1;
    if (this.isSilent) await new Promise((resolve) => signal!.addEventListener("abort", resolve));
    else await super.connect(events);
  }
}

const send = ({ store, gateway }: TestGateway, text: string) =>
  store.enqueueReply({ target, kind: "answer", text }).then(() => gateway.wake());
const texts = ({ adapter }: TestGateway) => adapter.to(ANN).map(({ text }) => text);
const stateOf = ({ gateway }: TestGateway, account = "bot") =>
  gateway.health().find((one) => one.account === account)!;

describe("a bot that is disconnected", () => {
  it("neither sends nor receives, and catches up exactly once after it is connected again", async () => {
    const test = await TestGateway.start();
    await test.ask(ANN, "hello");
    const before = texts(test).length;
    await test.gateway.disconnectPlatform("test", "bot");
    expect(stateOf(test)).toMatchObject({ state: "down", isOff: true });
    await expect(test.say(ANN, "is anyone there?")).rejects.toThrow("not connected");
    await send(test, "first");
    await send(test, "second");
    // It was looked at, and put off.
    await until(
      "the first one waits",
      () =>
        test.read<{ error: string }>(
          "SELECT error FROM gw_outbox WHERE text = 'first' AND error IS NOT NULL",
        )[0],
    );
    expect(texts(test)).toHaveLength(before);
    await test.gateway.connectPlatform("test", "bot");
    expect(stateOf(test)).toMatchObject({ state: "ok", isOff: false });
    await test.idle();
    expect(texts(test).slice(before)).toEqual(["first", "second"]);
    expect(await test.ask(ANN, "again")).toHaveLength(1);
  });

  it("finishes the part that is being sent, and resumes a long message at the next part", async () => {
    const test = await TestGateway.start();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    test.adapter.beforeSend = () => held;
    await send(test, "one\ftwo");
    await until("it is being sent", () => test.read("SELECT 1 FROM gw_outbox WHERE parts IS NOT NULL")[0]);
    const disconnecting = test.gateway.disconnectPlatform("test", "bot");
    letGo();
    await disconnecting;
    expect(texts(test)).toEqual(["one"]);
    await test.gateway.connectPlatform("test", "bot");
    await test.idle();
    expect(texts(test)).toEqual(["one", "two"]);
    expect(test.adapter.sent.map(({ mayBeRepeat }) => mayBeRepeat)).toEqual([false, false]);
  });

  it("handles concurrent connects and disconnects in order, and ignores repeats", async () => {
    const bot = new Silent({ account: "second" });
    const test = await TestGateway.start({ bots: [bot] });
    const { gateway } = test;
    await Promise.all([
      gateway.disconnectPlatform("test", "second"),
      gateway.disconnectPlatform("test", "second"),
      gateway.connectPlatform("test", "second"),
      gateway.connectPlatform("test", "second"),
    ]);
    expect(stateOf(test, "second")).toMatchObject({ state: "ok", isOff: false });
    expect(bot.attempts).toBe(2);
    expect(stateOf(test)).toMatchObject({ state: "ok", isOff: false });
  });

  it("can be disconnected while its platform doesn't answer", async () => {
    const bot = new Silent({ account: "second" });
    const test = await TestGateway.start({ bots: [bot] });
    const { gateway } = test;
    await gateway.disconnectPlatform("test", "second");
    bot.isSilent = true;
    const connecting = gateway.connectPlatform("test", "second");
    await until("it tries", () => bot.attempts === 2);
    await gateway.disconnectPlatform("test", "second");
    await connecting;
    expect(stateOf(test, "second")).toMatchObject({ state: "down", isOff: true });
  });

  it("is rejected if it doesn't exist", async () => {
    const test = await TestGateway.start();
    await expect(test.gateway.disconnectPlatform("test", "third")).rejects.toThrow("There is no bot third");
    await expect(test.gateway.connectPlatform("telegram", "bot")).rejects.toThrow("There is no bot");
  });

  it("is connected again after a restart and sends its pending messages", async () => {
    const test = await TestGateway.start();
    await test.gateway.disconnectPlatform("test", "bot");
    await send(test, "late");
    const next = await test.restart();
    expect(stateOf(next)).toMatchObject({ state: "ok", isOff: false });
    expect((await next.sentTo(ANN, 1)).map(({ text }) => text)).toEqual(["late"]);
  });
});
