import { expect, it } from "vitest";
import { TestGateway } from "../support/gateway.js";
import { Process } from "../support/processes.js";
import { inDm } from "../support/test-adapter.js";

it("the agent service of examples/ answers chats and keeps their conversations", async () => {
  const service = new Process(process.execPath, ["--import", "tsx", "examples/agent-service/main.ts"], {
    env: { ...process.env, PORT: "0" },
  });
  const line = await service.line("listening on ");
  const { port } = JSON.parse(line.slice("listening on ".length)) as { port: number };
  const config = { agent: { backend: "http" }, agent_service: { url: `http://127.0.0.1:${port}/v1` } };
  const gateway = await TestGateway.start({ config });
  expect(await gateway.ask(inDm("ann"), "hello")).toEqual(["Message 1 of this conversation was: hello"]);
  expect(await gateway.ask(inDm("ann"), "again")).toEqual(["Message 2 of this conversation was: again"]);
  expect(await gateway.ask(inDm("ben"), "hi")).toEqual(["Message 1 of this conversation was: hi"]);
});
