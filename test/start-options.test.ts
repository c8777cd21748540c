import path from "node:path";
import { expect, it } from "vitest";
import { echoAgent } from "../src/agents/echo.js";
import { type StartOptions, startGateway } from "../src/main.js";
import type { ToolDefinition } from "../src/tools/tool.js";
import { atEnd } from "./support/at-end.js";
import { tempDir } from "./support/temp.js";
import { inDm, TestAdapter } from "./support/test-adapter.js";
import { until } from "./support/until.js";

const lamp: ToolDefinition = {
  ...{
    name: "lamp",
    toolset: "house",
    description: "a lamp",
    parameters: {},
    effect: "write",
    repeat: "safe",
  },
  run: async (_, { principal }) => `lit for ${principal.userId}`,
};

async function start(options: StartOptions, adapter = new TestAdapter()) {
  const running = await startGateway({
    env: { HERMES_HOME: path.join(tempDir(), "home"), HERMES_LOG_LEVEL: "silent" },
    flags: { "http.port": 0, allow_all: true, owners: ["test:ann"] },
    platforms: () => ({ adapters: [adapter] }),
    ...options,
  });
  atEnd(() => running.stop());
  return async (text: string) => {
    await adapter.say(inDm("ann"), text);
    const [answer] = await until("an answer", () => adapter.sent.length > 0 && adapter.sent.splice(0));
    return answer!.text;
  };
}

it("a program that embeds the gateway passes its own tools and its own agent", async () => {
  const echo = echoAgent();
  let turns = 0;
  const main: typeof echo = {
    ...echo,
    run: (request, signal) => {
      turns += 1;
      return echo.run(request, signal);
    },
  };
  const ask = await start({
    tools: [lamp],
    agents: { main, auxiliary: { complete: async () => undefined } },
  });
  expect(await ask("!tool lamp")).toContain("lit for ann");
  expect(turns).toBe(1);
});

it("a tool with the name of a built-in one stops the start, and the home is free again", async () => {
  const home = path.join(tempDir(), "home");
  const env = { HERMES_HOME: home, HERMES_LOG_LEVEL: "silent" };
  await expect(start({ env, tools: [{ ...lamp, name: "todo" }] })).rejects.toThrow(
    'Two tools are named "todo".',
  );
  const ask = await start({ env });
  expect(await ask("hello")).toContain("hello");
});
