import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { keyProblems } from "../../src/agents/key-check.js";
import { closedAddress } from "../support/closed-address.js";
import { configWith } from "./support.js";

/** A model service that takes one key. */
async function serviceWithKey(key: string): Promise<string> {
  const server = http.createServer(({ headers, url }, response) => {
    const isRight = headers.authorization === `Bearer ${key}` || headers["x-api-key"] === key;
    const status = url !== "/v1/models" ? 404 : isRight ? 200 : 401;
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const problemsOf = (model: Record<string, unknown>) =>
  keyProblems(configWith({ model }), new AbortController().signal);

it.each(["openai", "anthropic"])("reports a missing %s key with the fix", async (provider) => {
  const name = `${provider.toUpperCase()}_API_KEY`;
  expect(await problemsOf({ provider, default: "m-1" })).toEqual([
    `m-1 (${provider}) has no API key. Set ${name} in .env.`,
  ]);
});

it.each(["openai", "anthropic", "openai-compatible"])("reports a rejected %s key", async (provider) => {
  const base_url = await serviceWithKey("right");
  const [problem, ...more] = await problemsOf({ provider, default: "m-1", base_url, api_key: "wrong" });
  expect(problem).toContain(`m-1 (${provider}) rejects the API key (HTTP 401).`);
  expect(more).toEqual([]);
  expect(await problemsOf({ provider, default: "m-1", base_url, api_key: "right" })).toEqual([]);
});

it("reports a service that can't be reached, and nothing for the echo agent", async () => {
  expect(await problemsOf({ provider: "echo" })).toEqual([]);
  const base_url = await closedAddress();
  expect(await problemsOf({ provider: "openai", default: "m", base_url, api_key: "k" })).toEqual([
    `m (openai) can't be reached: nothing listens there (ECONNREFUSED). Start its server, or check model.base_url (${base_url}).`,
  ]);
});
