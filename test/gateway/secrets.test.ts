import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { GatewayEventOf } from "../../src/events.js";
import type { ToolDefinition } from "../../src/tools/tool.js";
import { TestGateway } from "../support/gateway.js";
import { ScriptedAgent, type ScriptedStep } from "../support/scripted-agent.js";
import { inDm } from "../support/test-adapter.js";

const KEY = 'sk-very"secret-0123456789';
const ann = inDm("ann");

const config = { model: { api_key: KEY }, owners: ["test:ann"] };

function tool(given: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    ...{ name: "act", toolset: "own", description: "acts", parameters: {}, effect: "write", repeat: "never" },
    run: async () => "done",
    ...given,
  };
}

async function start(script: readonly ScriptedStep[], tools: readonly ToolDefinition[] = [], more = {}) {
  const agent = new ScriptedAgent(script);
  const gateway = await TestGateway.start({ agent, tools, config: { ...config, ...more } });
  const leaks: GatewayEventOf<"secret-redacted">[] = [];
  gateway.events.watch("test", (event) => event.type === "secret-redacted" && leaks.push(event));
  const places = () => leaks.map(({ where }) => where);
  return { agent, gateway, leaks, places };
}

/** The whole database and every file of the home. */
function everything(gateway: TestGateway): string {
  const files = fs.readdirSync(gateway.home, { recursive: true }) as string[];
  return files
    .map((file) => path.join(gateway.home, file))
    .filter((file) => fs.statSync(file).isFile())
    .map((file) => fs.readFileSync(file, "utf8"))
    .join("\n");
}

it("a key that an answer spells over several chunks is never shown, sent or stored", async () => {
  const chunks = ["The key is ", KEY.slice(0, 5), KEY.slice(5, 12), `${KEY.slice(12)}!`];
  const { gateway, places, leaks } = await start([{ say: chunks }]);
  expect(await gateway.ask(ann, "tell me")).toEqual(["The key is [REDACTED]!"]);
  expect(gateway.adapter.previews.join("\n")).not.toContain(KEY.slice(0, 5));
  expect(places()).toEqual(["answer"]);
  expect(leaks[0]).toMatchObject({ secret: "model.api_key" });
  expect(gateway.warnings).toMatchObject([
    { message: "a configured secret was redacted", fields: { setting: "model.api_key", where: "answer" } },
  ]);
  await gateway.stop();
  expect(everything(gateway)).not.toContain(KEY);
});

it("halves of a key in two messages are not joined in a preview", async () => {
  const script = [{ say: [KEY.slice(0, 12)] }, { call: "act" }, { say: [KEY.slice(12)] }];
  const { gateway } = await start(script, [tool()]);
  await gateway.ask(ann, "go");
  expect(gateway.adapter.previews.join("\n")).not.toContain(KEY);
});

it("a tool gets no key in its arguments, and no key from a result reaches the agent", async () => {
  const given: unknown[] = [];
  const leaky = tool({
    maxChars: 300,
    run: async (args) => {
      given.push(args);
      return `${KEY} ${"x".repeat(1000)}`;
    },
  });
  const { gateway, agent, places } = await start(
    [{ call: "act", args: { deep: [{ text: `it is ${KEY}` }] } }, { say: ["ok"] }],
    [leaky],
  );
  expect(await gateway.ask(ann, "go")).toEqual(["ok"]);
  expect(given).toEqual([{ deep: [{ text: "it is [REDACTED]" }] }]);
  expect(agent.results[0]).toMatch(/^\[REDACTED\] x/);
  expect(places().toSorted()).toEqual(["tool_argument", "tool_result"]);
  await gateway.stop();
  // Neither in the record of calls nor in the file with the long result.
  const stored = everything(gateway);
  expect(stored).not.toContain(KEY);
  expect(stored).not.toContain(JSON.stringify(KEY).slice(1, -1));
});

it("the error of a tool is redacted too", async () => {
  const failing = tool({ run: () => Promise.reject(new Error(`401 for ${KEY}`)) });
  const { gateway, agent } = await start([{ call: "act" }, { say: ["ok"] }], [failing]);
  await gateway.ask(ann, "go");
  expect(agent.results).toEqual(["Error: 401 for [REDACTED]"]);
});

it("prompts contain no key: instructions, history, new messages", async () => {
  const { gateway, agent } = await start([{ say: ["ok"] }], [], {
    agent: { system_prompt: `Use ${KEY}.`, restart_drain_timeout: 0.2 },
  });
  await gateway.ask(ann, `my key is ${KEY}`);
  await gateway.ask(ann, "again");
  expect(agent.requests).toHaveLength(2);
  const seen = JSON.stringify(agent.requests);
  expect(seen).not.toContain(JSON.stringify(KEY).slice(1, -1));
  expect(seen).toContain("my key is [REDACTED]");
  expect(seen).toContain("Use [REDACTED].");
});

it("a file with a key is not sent, even if the key crosses the chunks in which it is read", async () => {
  const { gateway, places } = await start([{ say: ["Here: MEDIA:media/out/notes.txt"] }]);
  const folder = path.join(gateway.home, "media/out");
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "notes.txt"), `${"x".repeat(65_536 - 10)}${KEY}${"y".repeat(99)}`);
  const [answer] = await gateway.ask(ann, "send it");
  expect(answer).toContain("notes.txt was not sent: it contains a token or key of this gateway");
  expect(gateway.adapter.sent.at(-1)?.files ?? []).toEqual([]);
  expect(places()).toContain("file");
  const copies = fs.existsSync(path.join(gateway.home, "media/sent"))
    ? fs.readdirSync(path.join(gateway.home, "media/sent"))
    : [];
  expect(copies).toEqual([]);
});

it("the agent's own later requests in a turn don't repeat its slip", async () => {
  const agent = new ScriptedAgent([{ say: [`key: ${KEY}`] }]);
  const messages: unknown[] = [];
  const run = agent.run.bind(agent);
  const keeping = Object.assign(agent, {
    run: async function* (...given: Parameters<typeof run>) {
      for await (const event of run(...given)) {
        if (event.type === "message") messages.push(event.message);
        yield event;
      }
    },
  });
  const gateway = await TestGateway.start({ agent: keeping, config });
  await gateway.ask(ann, "go");
  expect(JSON.stringify(messages)).toContain("key: [REDACTED]");
});
