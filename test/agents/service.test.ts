import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { atEnd } from "../support/at-end.js";
import { TestGateway } from "../support/gateway.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");

interface Received {
  headers: IncomingHttpHeaders;
  body: { messages: { role: string; content: string }[]; user: string; metadata: { session_id: string } };
}

/** A service on loopback: the last word of a message decides how it answers. */
async function service(hangs = () => false) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as Received["body"];
    received.push({ headers: request.headers, body });
    if (!hangs()) reply(response, body.messages.at(-1)!.content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  const config = {
    agent: { backend: "http", restart_drain_timeout: 0.1 },
    agent_service: { url, api_key: "key", timeout: 30 },
  };
  return { received, url, config };
}

function reply(response: ServerResponse, said: string): void {
  if (said === "!limit") return void response.writeHead(429).end("slow down");
  if (said === "!plain") {
    response.setHeader("content-type", "application/json");
    return void response.end(JSON.stringify({ choices: [{ message: { content: "all at once" } }] }));
  }
  response.setHeader("content-type", "text/event-stream");
  for (const content of ["got: ", said]) {
    const chunk = JSON.stringify({ choices: [{ delta: { content } }] });
    response.write(`data: ${chunk}\n\n`);
  }
  if (said === "!break") return void response.destroy();
  response.write(
    `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } })}\n\n`,
  );
  response.end("data: [DONE]\n\n");
}

describe("agent.backend: http", () => {
  it("sends only what is new, with the session's id", async () => {
    const { received, config } = await service();
    const gateway = await TestGateway.start({ config });
    expect(await gateway.ask(ann, "one")).toEqual(["got: one"]);
    expect(await gateway.ask(ann, "two")).toEqual(["got: two"]);
    const { id, input_tokens } = await gateway.session(ann);
    expect(
      received.map(({ headers, body }) => [headers["x-hermes-session-id"], body.metadata.session_id]),
    ).toEqual([
      [id, id],
      [id, id],
    ]);
    expect(received[0]!.headers.authorization).toBe("Bearer key");
    expect(received[0]!.body.user).toBe("test:ann");
    expect(received.map(({ body }) => body.messages.map(({ role }) => role))).toEqual([
      ["system", "user"],
      ["user"],
    ]);
    expect(input_tokens).toBe(14);
  });

  it("begins a new conversation when the history was changed", async () => {
    const { received, config } = await service();
    const gateway = await TestGateway.start({ config });
    await gateway.ask(ann, "one");
    await gateway.ask(ann, "two");
    await gateway.ask(ann, "/undo");
    await gateway.ask(ann, "three");
    const last = received.at(-1)!;
    expect(last.headers["x-hermes-session-id"]).toBe(`${(await gateway.session(ann)).id}.2`);
    expect(last.body.messages.map(({ content }) => content)).toEqual([
      expect.any(String),
      "one",
      "got: one",
      "three",
    ]);
  });

  it("takes whole answers, and reports errors and broken connections", async () => {
    const { config } = await service();
    const gateway = await TestGateway.start({ config });
    expect(await gateway.ask(ann, "!plain")).toEqual(["all at once"]);
    expect((await gateway.ask(ann, "!limit"))[0]).toContain("reported an error");
    expect((await gateway.ask(ann, "!break"))[0]).toContain("connection broke");
  });

  it("never sends an interrupted message again", async () => {
    let hangs = true;
    const { received, config } = await service(() => hangs);
    const gateway = await TestGateway.start({ config });
    await gateway.say(ann, "do it");
    await until("it arrives", () => received.length === 1);
    hangs = false;
    const again = await gateway.restart({ config });
    await again.sentTo(ann, 1);
    await again.idle();
    expect(received).toHaveLength(2);
    expect(received[1]!.body.messages).toEqual([
      { role: "user", content: expect.stringContaining("was interrupted") },
    ]);
    expect(received[1]!.headers["x-hermes-session-id"]).toBe(received[0]!.headers["x-hermes-session-id"]);
  });

  it("gives up on a silent service", async () => {
    const { config } = await service(() => true);
    const gateway = await TestGateway.start({
      config: { ...config, agent_service: { ...config.agent_service, timeout: 0.2 } },
    });
    expect((await gateway.ask(ann, "hello"))[0]).toContain("was silent");
  });
});
