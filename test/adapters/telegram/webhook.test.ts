import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TelegramAdapter } from "../../../src/adapters/telegram/index.js";
import { send } from "../../support/send.js";
import { Bench, outbound, patience, until } from "./support.js";

const SECRET = "a-secret_1";
const PATH = "/telegram/webhook";

let bench: Bench;
let server: http.Server;
let publicUrl: string;
let adapter: TelegramAdapter;

beforeEach(async () => {
  bench = new Bench();
  await bench.emulator.start();
  server = http.createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  adapter = bench.adapter({ webhook: { secret: SECRET, path: PATH, publicUrl } });
});

afterEach(async () => {
  await bench.close();
  server.closeAllConnections();
  server.close();
});

/** Like the gateway's HTTP server: a Request in, a Response out. */
async function serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const answer = await adapter.handleWebhook(
    new Request(`http://gateway${request.url}`, {
      method: request.method!,
      headers: request.headers as Record<string, string>,
      ...(request.method === "POST" && { body: Buffer.concat(chunks) }),
    }),
  );
  response.writeHead(answer.status).end(await answer.text());
}

const connect = () => adapter.connect(bench.gateway, new AbortController().signal);

async function post(body: string, secret: string | undefined = SECRET, method = "POST"): Promise<number> {
  const headers: Record<string, string> = secret ? { "x-telegram-bot-api-secret-token": secret } : {};
  const init = method === "POST" ? { method, headers, body } : { method, headers };
  return (await adapter.handleWebhook(new Request(`http://gateway${PATH}`, init))).status;
}

describe("webhook mode", () => {
  it("registers its address and secret at Telegram, and doesn't poll", async () => {
    await connect();
    expect(adapter.webhookPath).toBe(PATH);
    expect(bench.emulator.world.webhook.target).toEqual({ url: publicUrl + PATH, secret: SECRET });
    expect(bench.emulator.callsOf("setWebhook")[0]?.payload.drop_pending_updates).toBe(false);
    expect(bench.emulator.callsOf("getUpdates")).toEqual([]);
  });

  it("answers only when the inbox has the message", async () => {
    bench.gateway.hold();
    await connect();
    bench.emulator.users.writeDm(bench.emulator.users.person("Ann"), "hello");
    await until("it is being received", () => bench.gateway.attempts === 1);
    expect(bench.emulator.world.webhook.attempts).toEqual([]);
    bench.gateway.letIn();
    await until("Telegram is answered", () => bench.emulator.updates.pending.length === 0);
    expect(bench.gateway.texts).toEqual(["hello"]);
  });

  it("gets pressed buttons again until the inbox has them", async () => {
    await connect();
    const ann = bench.emulator.users.person("Ann");
    const { id } = bench.emulator.chats.privateWith(ann);
    const question = { id: "q1", choices: [{ id: "yes", label: "Yes" }] };
    await send(adapter, outbound({ chatId: String(id) }, "May I?", { question }), patience());
    bench.gateway.failing = true;
    bench.emulator.users.press(bench.emulator.said(id)[0]!, "Yes", ann);
    await until("it was tried twice", () => bench.gateway.attempts >= 2);
    bench.gateway.failing = false;
    await until("Telegram is answered", () => bench.emulator.updates.pending.length === 0);
    expect(bench.gateway.received.map(({ choice }) => choice?.choiceId)).toEqual(["yes"]);
    expect(bench.emulator.callsOf("setWebhook")[0]?.payload.allowed_updates).toContain("callback_query");
  });

  it("reports that the inbox failed, and gets the updates again in order", async () => {
    bench.gateway.failing = true;
    await connect();
    const ann = bench.emulator.users.person("Ann");
    for (const text of ["one", "two"]) bench.emulator.users.writeDm(ann, text);
    await until("it failed twice", () => bench.gateway.attempts >= 2);
    await until("health reports it", () => /inbox/.test(adapter.health().detail ?? ""));
    bench.gateway.failing = false;
    await until("both are received", () => bench.gateway.received.length === 2);
    expect(bench.gateway.texts).toEqual(["one", "two"]);
    expect(bench.emulator.world.webhook.attempts[0]?.status).toBe(503);
    await until("health is fine again", () => adapter.health().detail === undefined);
  });

  it("rejects calls without the secret", async () => {
    await connect();
    const update = JSON.stringify({ update_id: 1 });
    expect(await post(update, "wrong")).toBe(401);
    expect(await post(update, "")).toBe(401);
    expect(await post(update)).toBe(200);
  });

  it("rejects bodies that aren't updates", async () => {
    await connect();
    expect(await post("{")).toBe(400);
    expect(await post("[]")).toBe(400);
    expect(await post("x".repeat(2_000_000))).toBe(413);
    expect(await post("", SECRET, "GET")).toBe(405);
  });

  it("answers 503 while it is not connected", async () => {
    expect(await post(JSON.stringify({ update_id: 1 }))).toBe(503);
    await connect();
    await adapter.disconnect();
    expect(await post(JSON.stringify({ update_id: 1 }))).toBe(503);
  });

  it("is down when another program has removed the webhook", async () => {
    await connect();
    expect(adapter.health().state).toBe("ok");
    bench.emulator.world.webhook.target = undefined;
    await until("it is noticed", () => adapter.health().state === "down");
    expect(adapter.health().detail).toContain("webhook address is not ours");
  });

  it("needs a secret", () => {
    expect(() => bench.adapter({ webhook: { secret: "", path: PATH } })).toThrow(/needs a secret/);
    expect(() => bench.adapter({ webhook: { secret: "white space", path: PATH } })).toThrow(/needs a secret/);
  });

  it("is unavailable for a bot that polls", async () => {
    const polling = bench.adapter();
    expect(polling.webhookPath).toBeNull();
    expect((await polling.handleWebhook(new Request("http://gateway/"))).status).toBe(404);
  });
});
