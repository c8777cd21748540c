import { expect, it } from "vitest";
import type { AgentBackend } from "../../src/agents/backend.js";
import { echoAgent } from "../../src/agents/echo.js";
import type { Errand } from "../../src/errand.js";
import type { Target } from "../../src/message.js";
import { plain, TestGateway } from "../support/gateway.js";
import { inDm, inGroup } from "../support/test-adapter.js";

const asker = inDm("robot");
const group = inGroup("ann", "group");
const TARGET: Target = {
  platform: "test",
  account: "bot",
  chatType: "group",
  chatId: "group",
  threadId: null,
  userId: null,
  replyTo: null,
};

/** Says it as another program would, and gives what its target got. */
async function send(gateway: TestGateway, text: string, errand: Errand): Promise<string[]> {
  await gateway.say(asker, text, { errand, authenticated: true });
  await gateway.idle();
  expect(gateway.adapter.to(asker)).toEqual([]);
  return gateway.adapter.to(group).map((message) => message.text);
}

it("an errand's answer goes to its target, under its heading, and its session ends with it", async () => {
  const gateway = await TestGateway.start();
  const errand = { target: TARGET, heading: "**News**", end: "errand_complete" };
  const [answer] = await send(gateway, "what is new?", errand);
  expect(answer).toMatch(/^\*\*News\*\*\n\n/);
  expect(answer).toContain("what is new?");
  expect(gateway.adapter.previews).toEqual([]);
  expect(await gateway.route(asker)).toBeUndefined();
  const [session] = await gateway.store.listSessions({});
  expect(session).toMatchObject({ end_reason: "errand_complete", message_count: 2 });
  expect(session!.system_prompt).toContain("test");
});

it("an errand is never a command, whatever its text begins with", async () => {
  const gateway = await TestGateway.start();
  const [answer] = await send(gateway, "/new please", { target: TARGET });
  expect(plain(answer!)).toContain("/new please");
});

it("one [silent] anywhere says nothing at all", async () => {
  const gateway = await TestGateway.start();
  expect(await send(gateway, "Nothing today.\n[Silent]", { target: TARGET })).toEqual([]);
  expect(await gateway.store.listSessions({})).toMatchObject([{ message_count: 2 }]);
});

it("a failure is told to the target, but not again and again; its session ends too", async () => {
  const gateway = await TestGateway.start();
  const errand = { target: TARGET, name: "News", end: "errand_complete" };
  const told = await send(gateway, "!fail refused", errand);
  expect(told).toEqual([expect.stringMatching(/^⚠️ News failed: /)]);
  expect(await send(gateway, "!fail refused", { ...errand, failsQuietly: true })).toEqual(told);
  expect(await gateway.route(asker)).toBeUndefined();
  expect(gateway.read("SELECT state FROM gw_inbox")).toEqual([{ state: "dead" }, { state: "dead" }]);
});

it("a fault of ours is told to the target without what only the operator should read", async () => {
  const agent: AgentBackend = {
    ...echoAgent(),
    run: () => {
      throw new Error("/home/operator/.hermes/state.db is gone");
    },
  };
  const gateway = await TestGateway.start({ agent });
  const told = await send(gateway, "what is new?", { target: TARGET, name: "News" });
  expect(told).toEqual(["⚠️ News failed: something went wrong here. The operator's log says what."]);
  expect(gateway.read("SELECT error FROM gw_inbox")).toEqual([
    { error: "/home/operator/.hermes/state.db is gone" },
  ]);
});

it("an errand that was cut off too often is given up aloud", async () => {
  const gateway = await TestGateway.start();
  const errand = { target: TARGET, name: "News", end: "errand_complete" };
  await gateway.stop();
  const again = await gateway.restart();
  await again.say(asker, "!slow 60000 x", { errand, authenticated: true });
  again.change("UPDATE gw_inbox SET attempts = 3");
  await again.stop();
  again.change("UPDATE gw_inbox SET state = 'running', boot_id = 'another', attempts = 3");
  const last = await again.restart();
  await last.idle();
  expect(last.adapter.to(group).map(({ text }) => text)).toEqual(["⚠️ News failed: it was cut off too often"]);
  expect(await last.store.listRoutes()).toEqual([]);
});

it("an errand acts on behalf of its principal", async () => {
  const gateway = await TestGateway.start({ config: { owners: ["test:ann"] } });
  await gateway.ask(inDm("bob"), "bob's secret is marmots");
  const search = '!tool session_search {"query":"marmots"}';
  const [asOwner] = await send(gateway, search, {
    target: TARGET,
    principal: { platform: "test", userId: "ann" },
  });
  expect(asOwner).toContain("bob's secret");
  const answers = await send(gateway, search, {
    target: TARGET,
    principal: { platform: "test", userId: "eve" },
  });
  expect(answers.at(-1)).not.toContain("bob's secret");
});
