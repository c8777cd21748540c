import { describe, expect, it } from "vitest";
import { nowSeconds } from "../../src/clock.js";
import { targetOf } from "../../src/message.js";
import { TestGateway } from "../support/gateway.js";
import { ScriptedAgent } from "../support/scripted-agent.js";
import { inDm, originOf } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");
const bob = inDm("bob");

const soon = () => nowSeconds() + 600;

async function said(gateway: TestGateway): Promise<string[]> {
  const { id } = await gateway.session(ann);
  return (await gateway.store.getMessages(id)).map(({ role, content }) => `${role}: ${content}`);
}

async function replyAs(gateway: TestGateway, text: string, key?: string): Promise<number> {
  const { id: sessionId } = await gateway.session(ann);
  const target = targetOf({ platform: "test", account: "", origin: originOf(ann) });
  const asHuman = { sessionId, until: soon() };
  return gateway.gateway.replyAsHuman({ target, kind: "answer", text, asHuman }, key);
}

describe("a chat that a human has taken over", () => {
  it("stores incoming messages, sends the human's answers, and the agent sees both afterwards", async () => {
    const agent = new ScriptedAgent([{ say: ["from the agent"] }]);
    const gateway = await TestGateway.start({ agent });
    await gateway.ask(ann, "hello");
    expect(await gateway.gateway.takeOver(gateway.keyOf(ann), soon())).toBe(true);
    expect(await gateway.ask(ann, "is anyone there?")).toEqual([]);
    expect(await gateway.ask(ann, "hm")).toEqual([]);
    expect(await gateway.ask(bob, "me too")).toEqual(["from the agent"]);
    await replyAs(gateway, "from a human", "key");
    await replyAs(gateway, "from a human", "key");
    await gateway.idle();
    expect(gateway.adapter.to(ann).map(({ text }) => text)).toEqual(["from the agent", "from a human"]);
    expect(await said(gateway)).toEqual([
      "user: hello",
      "assistant: from the agent",
      "user: is anyone there?",
      "user: hm",
      "assistant: from a human",
    ]);
    await gateway.gateway.takeOver(gateway.keyOf(ann), null);
    expect(await gateway.ask(ann, "thanks")).toEqual(["from the agent"]);
    const { history } = agent.requests.at(-1)!;
    expect(history.map(({ content }) => content)).toContain("from a human");
    expect(history.map(({ content }) => content)).toContain("is anyone there?");
    await expect(replyAs(gateway, "too late")).rejects.toThrow("isn't taken over");
  });

  it("stays taken over after a crash, and returns to the agent when the time is up", async () => {
    const before = await TestGateway.start();
    await before.ask(ann, "hello");
    await before.gateway.takeOver(before.keyOf(ann), soon());
    await before.crash();
    const gateway = await before.restart();
    expect(await gateway.ask(ann, "still there?")).toEqual([]);
    gateway.change("UPDATE gw_routes SET human_until = ?", nowSeconds() - 1);
    expect(await gateway.ask(ann, "and now?")).toEqual(["and now?"]);
    expect(await said(gateway)).toContain("user: still there?");
  });

  it("ends the running turn and leaves waiting messages to the human", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const agent = new ScriptedAgent([{ wait: () => held }]);
    const gateway = await TestGateway.start({ agent, config: { display: { busy_input_mode: "queue" } } });
    await gateway.say(ann, "first");
    await until("the turn runs", () => agent.requests.length === 1);
    await gateway.say(ann, "second", { eventId: "second" });
    await gateway.gateway.takeOver(gateway.keyOf(ann), soon());
    release();
    await until("it is stored", () => gateway.inbox("second")?.reason === "taken over");
    expect(agent.requests).toHaveLength(1);
  });

  it("isn't reset during the takeover", async () => {
    const gateway = await TestGateway.start({ config: { session_reset: { mode: "idle", idle_minutes: 1 } } });
    await gateway.ask(ann, "hello");
    const { id } = await gateway.session(ann);
    await gateway.gateway.takeOver(gateway.keyOf(ann), soon());
    await gateway.silentFor(ann, 300);
    expect(await gateway.sweep()).toEqual([]);
    await gateway.ask(ann, "later");
    expect((await gateway.session(ann)).id).toBe(id);
    await gateway.gateway.takeOver(gateway.keyOf(ann), null);
    await gateway.silentFor(ann, 300);
    expect(await gateway.sweep()).toHaveLength(1);
  });
});
