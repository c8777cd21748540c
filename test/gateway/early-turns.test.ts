import { describe, expect, it } from "vitest";
import { TestGateway } from "../support/gateway.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");
const bob = inDm("bob");

/** The events of the inbox in order, and how often each was tried. */
const inbox = (gateway: TestGateway) =>
  gateway.read<{ payload: string; attempts: number }>("SELECT payload, attempts FROM gw_inbox ORDER BY id");
const texts = (gateway: TestGateway) =>
  inbox(gateway).map(({ payload }) => (JSON.parse(payload) as { text: string }).text);

/** Prompts that are read when the test says so. */
async function withHeldPrompts() {
  const waiting: (() => void)[] = [];
  const gateway = await TestGateway.start({
    parts: ({ systemPrompt }) => ({
      systemPrompt: async (place) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return systemPrompt(place);
      },
    }),
  });
  return { gateway, waiting };
}

describe("a message to a free chat", () => {
  it.each([false, true])("starts its turn with the commit that accepts it (threads: %s)", async (threads) => {
    const gateway = await TestGateway.start({ threads });
    const started: string[] = [];
    gateway.events.watch("test", (event) => void started.push(event.type));
    const recorded = (turns: number) =>
      until("the attempts are recorded", async () => {
        const { turns: figures } = await gateway.store.reports.stats(1);
        return figures!.total.turns === turns;
      });
    expect(await gateway.ask(ann, "one")).toEqual(["one"]);
    await recorded(1);
    const writes = async () => (await gateway.store.maintenance.writerStats()).commitWrites.sum;
    const before = await writes();
    expect(await gateway.ask(ann, "two")).toEqual(["two"]);
    await recorded(2);
    // Accept and start, finish, settle, and the record of the attempt. Nothing else was written.
    expect((await writes()) - before).toBe(4);
    const path = started.filter((type) => /^(received|accepted|routed|turn-)/.test(type));
    const turn = ["received", "accepted", "routed", "turn-started", "turn-usage", "turn-ended"];
    expect(path).toEqual([...turn, ...turn]);
    expect(inbox(gateway).map(({ attempts }) => attempts)).toEqual([1, 1]);
  });

  it("gets one turn, however often its event is delivered", async () => {
    const gateway = await TestGateway.start();
    await Promise.all([1, 2, 3].map(() => gateway.say(ann, "once", { eventId: "e1" })));
    await gateway.say(ann, "once", { eventId: "e1" });
    await gateway.idle();
    expect(gateway.adapter.to(ann)).toHaveLength(1);
    expect(await gateway.ask(ann, "and now")).toEqual(["and now"]);
    expect(texts(gateway)).toEqual(["once", "and now"]);
  });

  it("is stored before later messages, even while its prompt is being read", async () => {
    const { gateway, waiting } = await withHeldPrompts();
    const said = ["one", "two", "three"].map((text) => gateway.say(ann, text));
    await until("the prompt is read", () => waiting.length === 1);
    expect(texts(gateway)).toEqual([]);
    // Another chat doesn't wait.
    const other = gateway.say(bob, "hello");
    await until("the other prompt is read", () => waiting.length === 2);
    waiting[1]!();
    await other;
    expect(texts(gateway)).toEqual(["hello"]);
    waiting[0]!();
    await Promise.all(said);
    await gateway.idle();
    expect(texts(gateway)).toEqual(["hello", "one", "two", "three"]);
    const answers = gateway.adapter.to(ann).map(({ text }) => text);
    expect(answers.join("\n")).toMatch(/one[\s\S]*two[\s\S]*three/);
  });

  it("can be edited once it is stored", async () => {
    const { gateway, waiting } = await withHeldPrompts();
    const said = gateway.say(ann, "first text", { eventId: "e1" });
    await until("the prompt is read", () => waiting.length === 1);
    const edited = gateway.adapter.edit(ann, "e1", "second text");
    waiting[0]!();
    await Promise.all([said, edited]);
    await gateway.idle();
    expect((await gateway.ask(ann, "next")).join("\n")).toContain("second text");
  });

  it("doesn't wait for the prompt if it saves a cursor", async () => {
    const { gateway, waiting } = await withHeldPrompts();
    const message = { ...MESSAGE, origin: { platform: "test", chatType: "dm", chatId: "9", userId: "9" } };
    await gateway.gateway.receive(message as never, { name: "offset", value: "1" });
    expect(texts(gateway)).toEqual(["hi"]);
    await until("its own turn reads the prompt", () => waiting.length === 1);
    waiting[0]!();
    await gateway.idle();
  });

  it("is accepted even if its prompt can't be read", async () => {
    let faults = 0;
    const gateway = await TestGateway.start({
      parts: ({ systemPrompt }) => ({
        systemPrompt: (place) => {
          faults += 1;
          return faults > 2 ? systemPrompt(place) : Promise.reject(new Error("no such disk"));
        },
      }),
    });
    await gateway.say(ann, "hello", { eventId: "e1" });
    expect(gateway.inbox("e1")).toMatchObject({ state: "waiting" });
    await gateway.idle();
    expect(gateway.inbox("e1")).toMatchObject({ state: "done" });
  });

  it("is refused with its reason, without a turn", async () => {
    const gateway = await TestGateway.start({
      platform: { allow_all: false, allow_from: ["bob"], dm_policy: "allowlist" },
    });
    const id = await gateway.say(ann, "hello");
    await gateway.idle();
    expect(gateway.inbox(id)).toMatchObject({ state: "refused", attempts: 0 });
    expect(gateway.inbox(id)?.reason).not.toBeNull();
    expect(await gateway.route(ann)).toBeUndefined();
  });
});

const MESSAGE = {
  ...{
    platform: "test",
    account: "bot",
    eventId: "c1",
    text: "hi",
    attachments: [],
    sentAt: Date.now() / 1000,
  },
  ...{ mentioned: true, repliedToBot: false, threadWithBot: false, isBot: false, authenticated: false },
};
