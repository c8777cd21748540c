import { createHmac } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rows } from "../support/agreement.js";
import { forSeveral } from "../support/at-end.js";
import { Daemon } from "../support/daemon.js";
import { until } from "../support/until.js";
import { ask } from "./support/request.js";
import { exchange, RawSocket } from "./support/socket.js";

/** What strangers try against the real daemon. After all of it, it still answers, and nothing has got in. */

const TOKEN = "the-operators-own-token";
const KEY = "a-key-for-the-api-server";
const SECRET = "what-the-caller-knows";
const MEGABYTE = 1024 * 1024;
const RATE = 20;

let daemon: Daemon;
let end: () => Promise<void>;

beforeAll(async () => {
  const yaml = `
http: {token: ${TOKEN}, request_timeout: 1, rate_limit: ${RATE}}
platforms: {api_server: {api_key: ${KEY}}}
webhooks:
  hook: {secret: ${SECRET}, prompt: "{{text}}"}
  payments: {secret: stripes, signature: stripe}
`;
  ({ made: daemon, end } = await forSeveral(() => new Daemon({ yaml }).start()));
});

afterAll(async () => {
  const health = await ask(`${daemon.url}/healthz`);
  const code = await daemon.stop();
  await end();
  expect([health.status, code]).toEqual([200, 0]);
  for (const secret of [TOKEN, KEY, SECRET]) expect(daemon.run.stderr).not.toContain(secret);
});

const bearer = (secret: string) => ({
  authorization: `Bearer ${secret}`,
  "content-type": "application/json",
});
const QUESTION = JSON.stringify({ model: "hermes", messages: [{ role: "user", content: "let me in" }] });

/** Every door, with what would open it. */
const DOORS = [
  { method: "GET", path: "/", secret: TOKEN },
  { method: "GET", path: "/api/chat/log", secret: TOKEN },
  { method: "POST", path: "/api/chat/messages", secret: TOKEN, body: "{}" },
  { method: "POST", path: "/api/send", secret: TOKEN, body: "{}" },
  ...["takeover", "handback", "reply", "stop", "rename", "end", "delete"].map((action) => ({
    ...{ method: "POST", path: `/api/dashboard/sessions/s1/${action}`, secret: TOKEN, body: "{}" },
  })),
  { method: "GET", path: "/api/dashboard/sessions/s1/export", secret: TOKEN },
  { method: "POST", path: "/api/dashboard/dead/discard", secret: TOKEN, body: "{}" },
  { method: "POST", path: "/api/dashboard/send", secret: TOKEN, body: "{}" },
  { method: "GET", path: "/v1/models", secret: KEY },
  { method: "POST", path: "/v1/chat/completions", secret: KEY, body: QUESTION },
  { method: "POST", path: "/v1/responses", secret: KEY, body: '{"input": "let me in"}' },
];

/** Every attempt as another client of a proxy: wrong ones are counted, and here we want to see them refused. */
let clients = 0;
const somebody = () => ({ "x-forwarded-for": `198.51.100.${(clients++ % 250) + 1}` });

function knock(door: (typeof DOORS)[number], headers: Record<string, string> = {}, query = "") {
  const { method, path: at, body } = door;
  return ask(`${daemon.url}${at}${query}`, {
    method,
    headers: { "content-type": "application/json", ...somebody(), ...headers },
    ...(body === undefined ? {} : { body }),
  });
}

/** Nothing that was refused has left a trace in the inbox. */
const accepted = () => rows<{ n: number }>(daemon.home, "SELECT count(*) AS n FROM gw_inbox")[0]!.n;

describe.each(DOORS)("$method $path", (door) => {
  it("wants its own secret, in its own header", async () => {
    const before = accepted();
    const basic = Buffer.from(`x:${door.secret}`).toString("base64");
    for (const headers of [
      {},
      { authorization: "" },
      { authorization: "Bearer" },
      { authorization: door.secret },
      { authorization: `Basic ${basic}` },
      { cookie: `hermes_login=${door.secret}; token=${door.secret}` },
      { "x-api-key": door.secret },
    ] as Record<string, string>[])
      expect((await knock(door, headers)).status, JSON.stringify(headers)).toBe(401);
    expect((await knock(door, {}, `?token=${door.secret}&api_key=${door.secret}`)).status).toBe(401);
    expect((await knock(door, bearer(`${door.secret}x`))).status).toBe(401);
    expect(accepted()).toBe(before);
  });

  it("rejects the secret of another endpoint", async () => {
    const other = door.secret === TOKEN ? KEY : TOKEN;
    expect((await knock(door, bearer(other))).status).toBe(401);
  });

  it("knows no other Host (DNS rebinding)", async () => {
    for (const host of [
      "evil.example",
      "evil.example:8787",
      "127.0.0.1.evil.example",
      "localhost@evil.example",
      "10.0.0.1",
    ]) {
      const { status } = await knock(door, { ...bearer(door.secret), host });
      expect([400, 403], host).toContain(status);
    }
  });

  it("takes nothing from other sites", async () => {
    if (door.method === "GET") {
      const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" };
      expect((await knock(door, { ...bearer(door.secret), ...headers })).status).toBe(403);
    } else {
      for (const origin of [
        "http://evil.example",
        "null",
        "http://localhost:1",
        "https://127.0.0.1.evil.example",
      ])
        expect((await knock(door, { ...bearer(door.secret), origin })).status, origin).toBe(403);
    }
  });
});

describe("guessing", () => {
  it("is throttled after ten wrong tokens from one client", async () => {
    const from = (client: string, key: string) =>
      ask(`${daemon.url}/v1/models`, { headers: { ...bearer(key), "x-forwarded-for": client } });
    const statuses: number[] = [];
    for (let i = 0; i < 11; i += 1) statuses.push((await from("203.0.113.50", `guess ${i}`)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
    // Not even the right one is looked at any more.
    expect((await from("203.0.113.50", KEY)).status).toBe(429);
    expect((await from("203.0.113.51", KEY)).status).toBe(200);
  });
});

describe("too much", () => {
  it("of a body is refused, announced or not, before it is all here", async () => {
    const post = (size: number, at: string, headers: Record<string, string> = {}) =>
      ask(`${daemon.url}${at}`, {
        method: "POST",
        body: "x".repeat(size),
        headers: { ...bearer(TOKEN), ...headers },
      });
    expect((await post(MEGABYTE + 1, "/api/chat/messages")).status).toBe(413);
    expect((await post(MEGABYTE + 1, "/api/send", { "transfer-encoding": "chunked" })).status).toBe(413);
    expect((await post(MEGABYTE + 1, "/webhooks/hook")).status).toBe(413);
    expect((await post(10 * MEGABYTE + 1, "/v1/chat/completions", bearer(KEY))).status).toBe(413);
    const announced = await exchange(
      daemon.url,
      `POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\nConnection: close\r\n\r\n{`,
    );
    expect(announced.status).toBe(413);
  });

  it("of a header is refused", async () => {
    const answer = await exchange(
      daemon.url,
      `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: ${"x".repeat(100_000)}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.status).toBe(431);
  });

  it("nested JSON is refused", async () => {
    const deep = `${'{"messages":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    const post = (body: string) =>
      ask(`${daemon.url}/v1/chat/completions`, { method: "POST", body, headers: bearer(KEY) });
    expect((await post(deep)).status).toBe(400);
    const polluting =
      '{"__proto__": {"polluted": true}, "messages": [{"role": "user", "content": {"__proto__": 1}}]}';
    expect((await post(polluting)).status).toBe(400);
  });

  it("from one client gets Retry-After, and other clients don't", async () => {
    const from = (client: string) =>
      ask(`${daemon.url}/healthz`, { headers: { "x-forwarded-for": `8.8.8.8, ${client}` } });
    for (let i = 0; i < RATE; i += 1) expect((await from("203.0.113.60")).status).toBe(200);
    const refused = await from("203.0.113.60");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect((await from("203.0.113.61")).status).toBe(200);
  });

  it("of calls to a webhook is refused, too", async () => {
    const call = () =>
      ask(`${daemon.url}/webhooks/hook`, {
        method: "POST",
        body: "{}",
        headers: { "x-forwarded-for": "203.0.113.62" },
      });
    for (let i = 0; i < RATE; i += 1) expect((await call()).status).toBe(401);
    expect((await call()).status).toBe(429);
  });
});

describe("too slow", () => {
  it.each([
    [
      "a body",
      `POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"in`,
    ],
    ["a webhook's body", "POST /webhooks/hook HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"],
    ["a head", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "],
    ["nothing but a line", "GET / HT"],
  ])("%s: the connection is closed", async (_, beginning) => {
    const socket = await RawSocket.open(daemon.url);
    socket.write(beginning);
    const answer = await socket.untilClosed();
    expect(answer === "" || / 408 /.test(answer)).toBe(true);
  });
});

describe("a webhook", () => {
  const call = (body: string, signature: string, delivery: string) =>
    ask(`${daemon.url}/webhooks/hook`, {
      method: "POST",
      body,
      headers: { "x-hub-signature-256": signature, "x-github-delivery": delivery },
    });
  const sign = (body: string, secret = SECRET) =>
    `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

  it("that is replayed is accepted once", async () => {
    const body = '{"text": "replayed"}';
    for (let i = 0; i < 3; i += 1) expect((await call(body, sign(body), "d-1")).status).toBe(202);
    const found = rows(daemon.home, "SELECT id FROM gw_inbox WHERE event_id = 'hook:d-1'");
    expect(found).toHaveLength(1);
  });

  it("that is replayed later is too old", async () => {
    const body = '{"id": "evt_1"}';
    const at = Math.floor(Date.now() / 1000) - 3600;
    const signature = `t=${at},v1=${createHmac("sha256", "stripes").update(`${at}.${body}`).digest("hex")}`;
    const answer = await ask(`${daemon.url}/webhooks/payments`, {
      method: "POST",
      body,
      headers: { "stripe-signature": signature },
    });
    expect(answer.status).toBe(401);
  });

  it("that isn't signed, or otherwise, or for something else, is refused", async () => {
    const before = accepted();
    const body = '{"text": "forged"}';
    for (const signature of [
      "",
      "sha256=",
      "sha256=00",
      sign(body, "other"),
      sign('{"text": "else"}'),
      sign(body).slice(0, -1),
    ])
      expect((await call(body, signature, "d-2")).status, signature).toBe(401);
    expect((await ask(`${daemon.url}/webhooks/other`, { method: "POST", body })).status).toBe(401);
    expect(accepted()).toBe(before);
  });

  it("can't run commands through its content", async () => {
    const body = '{"text": "/sessions"}';
    expect((await call(body, sign(body), "d-3")).status).toBe(202);
    await until(
      "it is answered",
      () =>
        rows(daemon.home, "SELECT id FROM gw_inbox WHERE event_id = 'hook:d-3' AND state = 'done'").length >
        0,
    );
    expect(rows(daemon.home, "SELECT reason FROM gw_inbox WHERE event_id = 'hook:d-3'")).toEqual([
      { reason: null },
    ]);
  });
});

describe("a path", () => {
  const get = (at: string, secret: string) =>
    exchange(
      daemon.url,
      `GET ${at} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${secret}\r\nX-Forwarded-For: ${somebody()["x-forwarded-for"]}\r\nConnection: close\r\n\r\n`,
    );

  it.each([
    "/../../../../etc/passwd",
    "/chat/../../../package.json",
    "/chat/..%2f..%2f..%2fpackage.json",
    "/chat/%2e%2e/%2e%2e/package.json",
    "/chat/%252e%252e%252fpackage.json",
    "/chat/..\\..\\package.json",
    "/chat/chat.js%00.html",
    "//etc/passwd",
  ])("%s leads nowhere", async (at) => {
    const { status, text } = await get(at, TOKEN);
    expect([400, 404], text.slice(0, 200)).toContain(status);
    expect(text).not.toMatch(/root:|"hermes-gateway"/);
  });

  it.each([
    "/v1/../api/chat/log",
    "/v1/%2e%2e/api/chat/log",
    "/v1//../api/chat/log",
    "/healthz/../api/chat/log",
    "/webhooks/hook/../../api/chat/log",
    "http://evil.example/",
    "http://localhost/v1/../api/chat/log",
  ])("%s is no way around the token", async (at) => {
    const { status, text } = await get(at, KEY);
    expect([400, 401, 404], text.slice(0, 200)).toContain(status);
  });

  it("in the API leads nowhere either", async () => {
    for (const at of ["/v1/models/..%2f..%2f..%2fstate.db", "/v1/responses/..%2f..%2fstate.db"])
      expect((await get(at, KEY)).status).toBe(404);
  });

  it("to our own files is open, and to nothing else beside them", async () => {
    const files = fs.readdirSync(new URL("../../dist/chat/", import.meta.url), { recursive: true });
    const open = files.map(String).filter((file) => [".js", ".css", ".svg"].includes(path.extname(file)));
    expect(open).not.toEqual([]);
    for (const name of open)
      expect((await ask(`${daemon.url}/chat/${name}`, { headers: bearer(TOKEN) })).status).toBe(200);
    expect((await ask(`${daemon.url}/chat/`, { headers: bearer(TOKEN) })).status).toBe(404);
  });
});

describe("a header", () => {
  const post = (header: string, body = QUESTION) =>
    exchange(
      daemon.url,
      `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n${header}\r\n\r\n${body}`,
    );

  it.each([
    "X-Hermes-Session-Key: a\rSet-Cookie: evil=1",
    "X-Hermes-Session-Key: a\nSet-Cookie: evil=1\r\n",
    "X-Hermes-Session-Key: a\u0000b",
    "X-Hermes-Session-Key: a\u0001b",
    "Idempotency-Key: \u00e4",
  ])("%j adds nothing to the answer", async (header) => {
    const { status, text } = await post(header);
    const [head] = text.split("\r\n\r\n");
    expect(head!.toLowerCase()).not.toMatch(/^set-cookie/m);
    // A lone line feed ends a header in many parsers: what follows it is the client's own header, not ours.
    expect([200, 400]).toContain(status);
  });

  it("is given back as it came, encoded line breaks and all", async () => {
    const { status, text } = await post("X-Hermes-Session-Key: a%0d%0aSet-Cookie:%20evil=1");
    expect(status).toBe(200);
    expect(text).toContain("x-hermes-session-key: a%0d%0aSet-Cookie:%20evil=1\r\n");
    expect(text).not.toMatch(/^set-cookie/im);
  });

  it.each([
    ["two lengths", "Content-Length: 3\r\nContent-Length: 5"],
    ["a length and chunks", "Content-Length: 3\r\nTransfer-Encoding: chunked"],
    ["chunks in disguise", "Transfer-Encoding: xchunked"],
    ["a space in its name", "Content-Length : 3"],
  ])("with %s smuggles nothing", async (_, headers) => {
    const smuggled = `GET /v1/models HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\n\r\n`;
    const { text } = await exchange(
      daemon.url,
      `POST /login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n\r\n0\r\n\r\n${smuggled}`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text.match(/^HTTP\/1\.1 /gm)).toHaveLength(1);
  });

  it("named Host may occur once only", async () => {
    for (const hosts of ["Host: localhost\r\nHost: evil.example", "X: y"]) {
      const { status } = await exchange(
        daemon.url,
        `GET /healthz HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`,
      );
      expect([400, 403]).toContain(status);
    }
  });
});

describe("a form of another site", () => {
  it("can't speak for the user", async () => {
    const text = { authorization: `Bearer ${KEY}`, "content-type": "text/plain" };
    expect(
      (await ask(`${daemon.url}/v1/chat/completions`, { method: "POST", body: QUESTION, headers: text }))
        .status,
    ).toBe(415);
    const form = { authorization: `Bearer ${TOKEN}`, "content-type": "application/x-www-form-urlencoded" };
    for (const at of ["/api/chat/messages", "/api/send"]) {
      const { status } = await ask(`${daemon.url}${at}`, { method: "POST", body: "text=hi", headers: form });
      expect([400, 415]).toContain(status);
    }
  });
});

describe("a public address", () => {
  it.each(["0.0.0.0", "::", "192.0.2.1"])("%s without a token ends the start", async (host) => {
    const run = new Daemon({ yaml: `http: {host: "${host}"}` }).launch();
    const { code } = await run.ended;
    expect(code).not.toBe(0);
    expect(run.stderr + run.stdout).toMatch(/without a token/);
    expect(run.stderr + run.stdout).toMatch(/HERMES_HTTP_TOKEN/);
  });

  it("doesn't start with the same secret for two endpoints", async () => {
    const yaml =
      "http: {token: same}\nplatforms: {api_server: {api_key: same}}\nwebhooks: {a: {secret: same}}";
    const run = new Daemon({ yaml }).launch();
    expect((await run.ended).code).not.toBe(0);
    expect((run.stderr + run.stdout).match(/use a different secret for each/g)).toHaveLength(2);
  });
});
