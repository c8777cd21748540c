import { expect, it } from "vitest";
import type { AgentBackend } from "../../src/agents/backend.js";
import { echoAgent } from "../../src/agents/echo.js";
import type { Target } from "../../src/message.js";
import type { Task } from "../../src/task.js";
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

/** Sends a task like another program, and returns what its target received. */
async function send(gateway: TestGateway, text: string, task: Task): Promise<string[]> {
  await gateway.say(asker, text, { task, authenticated: true });
  await gateway.idle();
  expect(gateway.adapter.to(asker)).toEqual([]);
  return gateway.adapter.to(group).map((message) => message.text);
}

it("a task's answer goes to its target with its heading, and its session ends", async () => {
  const gateway = await TestGateway.start();
  const task = { target: TARGET, heading: "**News**", end: "errand_complete" };
  const [answer] = await send(gateway, "what is new?", task);
  expect(answer).toMatch(/^\*\*News\*\*\n\n/);
  expect(answer).toContain("what is new?");
  expect(gateway.adapter.previews).toEqual([]);
  expect(await gateway.route(asker)).toBeUndefined();
  const [session] = await gateway.store.listSessions({});
  expect(session).toMatchObject({ end_reason: "errand_complete", message_count: 2 });
  expect(session!.system_prompt).toContain("test");
});

it("a task is never a command, whatever its text", async () => {
  const gateway = await TestGateway.start();
  const [answer] = await send(gateway, "/new please", { target: TARGET });
  expect(plain(answer!)).toContain("/new please");
});

it("one [silent] anywhere in a task's answer suppresses it", async () => {
  const gateway = await TestGateway.start();
  expect(await send(gateway, "Nothing today.\n[Silent]", { target: TARGET })).toEqual([]);
  expect(await gateway.store.listSessions({})).toMatchObject([{ message_count: 2 }]);
});

it("a task's failure is reported to the target once; its session ends too", async () => {
  const gateway = await TestGateway.start();
  const task = { target: TARGET, name: "News", end: "errand_complete" };
  const told = await send(gateway, "!fail refused", task);
  expect(told).toEqual([expect.stringMatching(/^⚠️ News failed: /)]);
  expect(await send(gateway, "!fail refused", { ...task, failsQuietly: true })).toEqual(told);
  expect(await gateway.route(asker)).toBeUndefined();
  expect(gateway.read("SELECT state FROM gw_inbox")).toEqual([{ state: "dead" }, { state: "dead" }]);
});

it("an internal error is reported to the target without operator details", async () => {
  const agent: AgentBackend = {
    ...echoAgent(),
    run: () => {
      throw new Error("/home/operator/.hermes/state.db is gone");
    },
  };
  const gateway = await TestGateway.start({ agent });
  const told = await send(gateway, "what is new?", { target: TARGET, name: "News" });
  expect(told).toEqual(["⚠️ News failed: an internal error occurred. The operator can find it in the log."]);
  expect(gateway.read("SELECT error FROM gw_inbox")).toEqual([
    { error: "/home/operator/.hermes/state.db is gone" },
  ]);
});

it("a task that was interrupted too often is given up with a notice", async () => {
  const gateway = await TestGateway.start();
  const task = { target: TARGET, name: "News", end: "errand_complete" };
  await gateway.stop();
  const again = await gateway.restart();
  await again.say(asker, "!slow 60000 x", { task, authenticated: true });
  again.change("UPDATE gw_inbox SET attempts = 3");
  await again.stop();
  again.change("UPDATE gw_inbox SET state = 'running', boot_id = 'another', attempts = 3");
  const last = await again.restart();
  await last.idle();
  expect(last.adapter.to(group).map(({ text }) => text)).toEqual([
    "⚠️ News failed: it was interrupted too often",
  ]);
  expect((await last.store.listRoutes()).routes).toEqual([]);
});

it("a task runs on behalf of its principal", async () => {
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
