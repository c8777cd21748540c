import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { request } from "undici";
import { expect, it } from "vitest";
import { errorsWithin, neverConnected } from "../../src/adapters/never-connected.js";

const failure = (url: string) =>
  fetch(url).then(
    () => undefined,
    (error: unknown) => error,
  );

async function listening(server: net.Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("recognises a closed port with each client", async () => {
  const server = net.createServer();
  const url = await listening(server);
  server.close();
  await once(server, "close");
  expect(neverConnected(await failure(url))).toBe(true);
  const other = await request(url).catch((error: unknown) => error);
  expect(neverConnected(other)).toBe(true);
  const asGrammyTells = Object.assign(new Error("Network request failed"), {
    name: "HttpError",
    error: other,
  });
  expect(neverConnected(asGrammyTells)).toBe(true);
  const asSlackTells = Object.assign(new Error("A request error"), { code: "slack_x", original: other });
  expect(neverConnected(asSlackTells)).toBe(true);
});

it("knows a connection that was never answered, as node-fetch tells of it", () => {
  const reason = "request to https://a.b failed, reason: connect ETIMEDOUT 10.0.0.1:443";
  expect(neverConnected(Object.assign(new Error(reason), { code: "ETIMEDOUT" }))).toBe(true);
  expect(neverConnected(Object.assign(new Error("read ETIMEDOUT"), { code: "ETIMEDOUT" }))).toBe(false);
});

it("doesn't treat a request that may have arrived as never sent", async () => {
  const server = http.createServer((_, response) => void response.socket?.destroy());
  const url = await listening(server);
  expect(neverConnected(await failure(url))).toBe(false);
  server.close();
  for (const nothing of [undefined, null, "a word", new Error("some trouble")])
    expect(neverConnected(nothing)).toBe(false);
});

it("distinguishes a network failure before the connection from one during it", () => {
  const told = (reason: string) => {
    const fault = Object.assign(new Error(reason), { code: "EHOSTUNREACH" });
    const asNodeFetch = Object.assign(new Error(`request to https://a.b failed, reason: ${reason}`), {
      code: "EHOSTUNREACH",
    });
    return [fault, new TypeError("fetch failed", { cause: fault }), asNodeFetch].map(neverConnected);
  };
  expect(told("connect EHOSTUNREACH 10.0.0.1:443")).toEqual([true, true, true]);
  expect(told("read EHOSTUNREACH")).toEqual([false, false, false]);
  expect(told("write EHOSTUNREACH")).toEqual([false, false, false]);
});

it("terminates if errors contain each other", () => {
  const one = new Error("one");
  one.cause = new Error("two", { cause: one });
  expect([...errorsWithin(one)].length).toBeLessThan(10);
  expect(neverConnected(one)).toBe(false);
});
