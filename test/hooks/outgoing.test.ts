import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { signBody } from "../../src/secret.js";
import { TestGateway } from "../support/gateway.js";
import { tempDir } from "../support/temp.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";
import { startHooks } from "./support.js";

const ann = inDm("ann");

interface Call {
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** A program that is told; `answer` gives the status, or nothing for silence. */
async function receiver(answer: (call: number) => number | undefined = () => 204) {
  const calls: Call[] = [];
  const server = http.createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      calls.push({ headers: request.headers, body });
      const status = answer(calls.length);
      if (status !== undefined) response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const events = () => calls.map(({ headers }) => headers["x-hermes-event"]);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/told`, calls, events };
}

async function gatewayTelling(webhook: Record<string, unknown>) {
  const started = startHooks(tempDir(), { webhooks: { audit: webhook } });
  const gateway = await TestGateway.start({ hooks: started.hooks });
  await started.hooks.start(gateway.events);
  return { ...started, gateway };
}

describe("an HTTP endpoint", () => {
  it("receives signed events in order", async () => {
    const { url, calls, events } = await receiver();
    const { gateway } = await gatewayTelling({
      url,
      events: ["session:*", "agent:end", "command:*"],
      secret: "a-secret",
    });
    await gateway.ask(ann, "hello");
    await gateway.ask(ann, "/new");
    await until("all was told", () => calls.length >= 6, { found: events });
    expect(events()).toEqual([
      "session:start",
      "agent:end",
      "command:new",
      "session:end",
      "session:reset",
      "session:start",
    ]);
    const { headers, body } = calls[1]!;
    const told = JSON.parse(body) as { id: string; event: string; context: Record<string, unknown> };
    expect(told).toMatchObject({ event: "agent:end", context: { platform: "test", outcome: "answered" } });
    expect(told.id).toBe(headers["x-hermes-delivery"]);
    const signature = String(headers["x-hermes-signature"]);
    const at = Number(/^t=(\d+),/.exec(signature)![1]);
    expect(signature).toBe(signBody("a-secret", body, at));
    expect(Math.abs(Date.now() / 1000 - at)).toBeLessThan(60);
  });

  it("gets retries under the same id", async () => {
    const { url, calls } = await receiver((call) => (call === 1 ? 503 : 200));
    const { gateway, outcomes, reported } = await gatewayTelling({ url, events: ["agent:end"] });
    await gateway.ask(ann, "hello");
    await until("it is told after all", () => outcomes.length === 1);
    expect(outcomes).toEqual(["webhook:audit ok"]);
    expect(reported).toEqual([]);
    expect(calls).toHaveLength(2);
    expect(calls[0]!.headers["x-hermes-delivery"]).toBe(calls[1]!.headers["x-hermes-delivery"]);
  });

  it.each<[string, () => number | undefined, Record<string, unknown>, string, string]>([
    ["refuses", () => 400, { retries: 3 }, "failed", "HTTP 400"],
    ["always fails", () => 500, { retries: 0 }, "failed", "HTTP 500"],
    ["never answers", () => undefined, { retries: 0, timeout: 0.2 }, "timeout", "took longer than 0.2 s"],
  ])("that %s harms nothing, and is named once", async (_, answer, more, outcome, reason) => {
    const { url, calls } = await receiver(answer);
    const { gateway, outcomes, reported } = await gatewayTelling({ url, events: ["agent:end"], ...more });
    expect(await gateway.ask(ann, "one")).toEqual(["one"]);
    expect(await gateway.ask(ann, "two")).toEqual(["two"]);
    await until("both were given up", () => outcomes.length === 2);
    expect(outcomes).toEqual([`webhook:audit ${outcome}`, `webhook:audit ${outcome}`]);
    expect(reported).toEqual([`webhook:audit agent:end: ${reason}`]);
    expect(calls).toHaveLength(2);
  });

  it("can't decide commands", async () => {
    const { url, calls } = await receiver(() => 200);
    const { gateway } = await gatewayTelling({ url, events: ["command:*"] });
    expect((await gateway.ask(ann, "/help"))[0]).toContain("/new");
    await until("it was told", () => calls.length === 1);
  });
});
