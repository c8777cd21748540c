import http from "node:http";
import net from "node:net";
import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import { afterEach, describe, expect, it } from "vitest";
import { HermesError } from "../../src/errors.js";
import { isLoopback, urlOf } from "../../src/http/bind.js";
import { type HttpOptions, type HttpServer, listenHttp } from "../../src/http/server.js";
import { LoginThrottle } from "../../src/login-throttle.js";
import { RateLimit } from "../../src/rate-limit.js";
import { startHttp } from "../support/http.js";
import { until } from "../support/until.js";
import { EventReader } from "./support/events.js";
import { ask } from "./support/request.js";

const TOKEN = "a-token-of-some-length";
const running: HttpServer[] = [];

async function start(options: Partial<HttpOptions> = {}): Promise<HttpServer> {
  const server = await startHttp({ host: "127.0.0.1", port: 0, token: null, routes, ...options });
  running.push(server);
  return server;
}

function routes(app: Hono): void {
  app.get("/", (c) => c.text("page"));
  app.get("/thing", (c) => c.text("thing"));
  app.post("/thing", async (c) => c.text(`${(await c.req.text()).length}`));
  app.get("/broken", () => {
    throw new Error("secret detail");
  });
  app.get("/full", () => {
    throw new HermesError("unavailable", "The disk is full: /home/ann/.hermes/state.db could not grow.", {
      hint: "Make room in /home/ann/.hermes.",
    });
  });
  app.get("/stream", (c) => {
    c.header("Content-Type", "text/event-stream");
    return c.body(
      new ReadableStream({ start: (s) => s.enqueue(new TextEncoder().encode("event: a\ndata: {}\n\n")) }),
    );
  });
}

/** Asks, and reads nothing of the answer. */
function readNothing(url: string): net.Socket {
  const { port, pathname } = new URL(url);
  const socket = net.connect(Number(port), "127.0.0.1");
  socket.on("error", () => {}).pause();
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return socket;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

describe("the HTTP server", () => {
  it("answers the liveness check", async () => {
    const { url } = await start();
    const answer = await ask(`${url}/healthz`);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual({ status: "ok" });
  });

  it("doesn't reveal the path of the home", async () => {
    const { url } = await start({ home: "/home/ann/.hermes" });
    const answer = await ask(`${url}/full`);
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.text)).toEqual({
      error: {
        code: "unavailable",
        message: "The disk is full: state.db could not grow.",
        hint: "Make room in the home.",
      },
    });
  });

  it("is alive during startup, and answers other requests with Retry-After", async () => {
    const server = await listenHttp({ host: "127.0.0.1", port: 0, token: null });
    running.push(server);
    expect((await ask(`${server.url}/healthz`)).status).toBe(200);
    const ready = await ask(`${server.url}/readyz`);
    expect([ready.status, JSON.parse(ready.text).problems]).toEqual([
      503,
      [{ check: "gateway", reason: "it is starting" }],
    ]);
    const early = await ask(`${server.url}/thing`);
    expect([early.status, early.headers["retry-after"]]).toEqual([503, "1"]);
    server.serve({ host: "127.0.0.1", port: 0, token: null, routes });
    expect((await ask(`${server.url}/thing`)).text).toBe("thing");
  });

  it("sends a strict policy with every answer", async () => {
    const { url } = await start();
    for (const path of ["/", "/healthz", "/nothing", "/broken"]) {
      const { headers } = await ask(url + path);
      expect(headers["content-security-policy"]).toContain("script-src 'self'");
      expect(headers["content-security-policy"]).not.toContain("unsafe");
      expect(headers["x-content-type-options"]).toBe("nosniff");
    }
  });

  it("closes connections that don't read a ready response, but not those waiting for one", async () => {
    const cut: string[] = [];
    const note = (c: Context) => (c.env as HttpBindings).outgoing.once("close", () => cut.push(c.req.path));
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { url } = await start({
      stalledMs: 100,
      routes: (app) => {
        app.get("/slow", async (c) => released.then(() => c.text("at last")));
        app.get("/whole", (c) => {
          note(c);
          return c.body(new Uint8Array(20_000_000));
        });
        app.get("/endless", (c) => {
          note(c);
          c.header("Content-Type", "text/event-stream");
          return c.body(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(100_000)) }));
        });
      },
    });
    const slow = ask(`${url}/slow`);
    const idle = [readNothing(`${url}/endless`), readNothing(`${url}/whole`)];
    await until("both were cut off", () => cut.length === 2);
    for (const socket of idle) socket.destroy();
    release();
    expect((await slow).text).toBe("at last");
  });

  it("doesn't reveal details of internal errors", async () => {
    const errors: object[] = [];
    const log = { warn: () => {}, error: (fields: object) => void errors.push(fields) };
    const { url } = await start({ log });
    const answer = await ask(`${url}/broken`);
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain("secret detail");
    expect(errors).toMatchObject([{ err: { message: "secret detail" }, path: "/broken" }]);
  });

  it("answers unknown paths with JSON", async () => {
    const { url } = await start();
    const answer = await ask(`${url}/../../etc/passwd`);
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text).error.code).toBe("not_found");
  });
});

describe("where it listens", () => {
  it.each(["0.0.0.0", "::", "192.168.1.5", "example.com"])("refuses %s without a token", async (host) => {
    const error = await startHttp({ host, port: 0, token: null, routes }).catch((e: unknown) => e);
    expect(error).toMatchObject({ name: "HermesError", code: "refused" });
    expect((error as { hint: string }).hint).toMatch(/HERMES_HTTP_TOKEN.*127\.0\.0\.1/);
  });

  it("listens on all addresses with a token", async () => {
    const { url } = await start({ host: "0.0.0.0", token: TOKEN });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await ask(`${url}/healthz`)).status).toBe(200);
  });

  it("names the port in use, and the fix", async () => {
    const { url } = await start();
    const port = Number(new URL(url).port);
    const error = await startHttp({ host: "127.0.0.1", port, token: null, routes }).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "conflict", message: expect.stringContaining(`Port ${port}`) });
    expect((error as { hint: string }).hint).toMatch(/http\.port.*HERMES_HTTP_PORT/);
  });

  it("recognises loopback addresses", () => {
    for (const host of [
      "localhost",
      "LOCALHOST.",
      "127.0.0.1",
      "127.1.2.3",
      "::1",
      "[::1]",
      "::ffff:127.0.0.1",
    ])
      expect(isLoopback(host), host).toBe(true);
    for (const host of ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.evil.com", "localhost.evil.com", ""])
      expect(isLoopback(host), host).toBe(false);
    expect(urlOf("::1", 1)).toBe("http://[::1]:1");
  });
});

describe("the Host check", () => {
  it.each(["evil.com", "evil.com:8787", "127.0.0.1.evil.com", "localhost@evil.com", "10.0.0.1"])(
    "refuses %s",
    async (host) => {
      const { url } = await start();
      const answer = await ask(`${url}/thing`, { headers: { host } });
      expect([400, 403]).toContain(answer.status);
      expect(answer.text).not.toBe("thing");
    },
  );

  it.each(["localhost", "localhost:1", "127.0.0.1", "[::1]:99"])("takes %s", async (host) => {
    const { url } = await start();
    expect((await ask(`${url}/thing`, { headers: { host } })).text).toBe("thing");
  });

  it("takes any address where it listens on all, but no foreign name", async () => {
    const { url } = await start({ host: "0.0.0.0", token: TOKEN, otherNames: ["chat.example.com"] });
    const status = async (host: string) =>
      (await ask(`${url}/thing`, { headers: { host, authorization: `Bearer ${TOKEN}` } })).status;
    expect(await status("192.168.7.7:8787")).toBe(200);
    expect(await status("chat.example.com")).toBe(200);
    expect(await status("evil.com")).toBe(403);
  });
});

describe("the Origin check", () => {
  const post = (url: string, headers: Record<string, string>) =>
    ask(`${url}/thing`, { method: "POST", body: "12345", headers });

  it("accepts our own page and programs", async () => {
    const { url } = await start();
    expect((await post(url, { origin: url, "sec-fetch-site": "same-origin" })).text).toBe("5");
    expect((await post(url, {})).text).toBe("5");
  });

  it("takes our page behind an https proxy", async () => {
    const { url } = await start({ otherNames: ["chat.example.com"] });
    const headers = { host: "chat.example.com", origin: "https://chat.example.com" };
    expect((await post(url, headers)).status).toBe(200);
  });

  it("refuses other pages, also on another port of this machine", async () => {
    const { url } = await start();
    const port = Number(new URL(url).port);
    for (const origin of [
      "http://evil.com",
      "null",
      `http://localhost:${port}`,
      `http://127.0.0.1:${port + 1}`,
      "file://",
      "garbage",
    ])
      expect((await post(url, { origin })).status, origin).toBe(403);
    expect((await post(url, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  });

  it("allows other pages to link here, and nothing else", async () => {
    const { url } = await start();
    const get = (mode: string) =>
      ask(`${url}/thing`, { headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": mode } });
    expect((await get("navigate")).status).toBe(200);
    expect((await get("no-cors")).status).toBe(403);
  });
});

describe("a client", () => {
  const statuses = async (url: string, addresses: string[]) => {
    const get = (client: string) => ask(`${url}/thing`, { headers: { "x-forwarded-for": client } });
    return Promise.all(addresses.map(async (client) => (await get(client)).status));
  };

  it("of IP version 6 is its network, all of whose addresses it has", async () => {
    const { url } = await start({ ratePerMinute: 4 });
    const network = ["2001:db8:0:7::1", "2001:0DB8::7:0:0:0:2", "2001:db8:0:7:ffff:ffff:ffff:ffff"];
    expect(await statuses(url, [...network, "2001:db8:0:7:a::"])).toEqual([200, 200, 200, 200]);
    expect(await statuses(url, ["2001:db8:0:7::9", "2001:db8:0:8::1", "2001:db8::1", "::1:2:3:4"])).toEqual([
      429, 200, 200, 200,
    ]);
  });

  it("of version 4 is its address, however it is written", async () => {
    const { url } = await start({ ratePerMinute: 1 });
    expect(await statuses(url, ["192.0.2.1"])).toEqual([200]);
    expect(await statuses(url, ["::ffff:192.0.2.1", "192.0.2.2", "unknown"])).toEqual([429, 200, 200]);
  });
});

describe("the token", () => {
  const get = (url: string, headers: Record<string, string> = {}) => ask(`${url}/thing`, { headers });

  it("is wanted in the header, and only there", async () => {
    const { url } = await start({ token: TOKEN });
    expect((await get(url)).status).toBe(401);
    expect((await ask(`${url}/thing?token=${TOKEN}`)).status).toBe(401);
    expect((await get(url, { authorization: "Bearer wrong" })).status).toBe(401);
    expect((await get(url, { authorization: TOKEN })).status).toBe(401);
    expect((await get(url, { authorization: `bearer ${TOKEN}` })).text).toBe("thing");
  });

  it("leaves health checks open", async () => {
    const { url } = await start({ token: TOKEN });
    expect((await ask(`${url}/healthz`)).status).toBe(200);
  });

  it("leads a browser to the login and back", async () => {
    const { url } = await start({ token: TOKEN });
    const first = await ask(url, { headers: { accept: "text/html" } });
    expect([first.status, first.headers.location]).toEqual([302, "/login"]);
    expect((await ask(`${url}/login`)).text).toContain('name="token"');

    const login = (token: string) =>
      ask(`${url}/login`, {
        method: "POST",
        body: new URLSearchParams({ token }).toString(),
        headers: { origin: url, "content-type": "application/x-www-form-urlencoded" },
      });
    const wrong = await login("wrong");
    expect([wrong.status, wrong.headers["set-cookie"]]).toEqual([401, undefined]);
    const right = await login(TOKEN);
    expect([right.status, right.headers.location]).toEqual([303, "/"]);
    const cookie = right.headers["set-cookie"]![0]!;
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).not.toContain(TOKEN);
    expect((await get(url, { cookie: cookie.split(";")[0]! })).text).toBe("thing");
  });

  it("rejects forged login cookies", async () => {
    const { url } = await start({ token: TOKEN });
    for (const value of ["", "1.x", "99999999999.forged", `99999999999.${TOKEN}`])
      expect((await get(url, { cookie: `hermes_login=${value}` })).status).toBe(401);
  });

  it("stops checking after ten wrong tokens", async () => {
    const { url } = await start({ token: TOKEN });
    for (let i = 0; i < 10; i += 1)
      expect((await get(url, { authorization: `Bearer ${i}` })).status).toBe(401);
    expect((await get(url, { authorization: `Bearer ${TOKEN}` })).status).toBe(429);
  });

  it("checks again after a minute", () => {
    const throttle = new LoginThrottle();
    for (let i = 0; i < 10; i += 1) throttle.check("a", () => false, 0);
    expect(throttle.check("a", () => true, 59_999)).toBe("too_many");
    expect(throttle.check("b", () => true, 59_999)).toBe("right");
    expect(throttle.check("a", () => true, 60_000)).toBe("right");
  });
});

describe("bodies", () => {
  const MB = 1024 * 1024;

  it("may have a megabyte", async () => {
    const { url } = await start();
    const answer = await ask(`${url}/thing`, { method: "POST", body: "x".repeat(MB) });
    expect(answer.text).toBe(String(MB));
  });

  it("may not have more, announced or not", async () => {
    const { url } = await start();
    const body = "x".repeat(MB + 1);
    expect((await ask(`${url}/thing`, { method: "POST", body })).status).toBe(413);
    const headers = { "transfer-encoding": "chunked" };
    expect((await ask(`${url}/thing`, { method: "POST", body, headers })).status).toBe(413);
  });
});

describe("closing", () => {
  it("ends open event streams without waiting for requests that are running", async () => {
    let answerSlow: (() => void) | undefined;
    const server = await start({
      routes: (app) => {
        routes(app);
        app.get(
          "/slow",
          (c) => new Promise<Response>((resolve) => (answerSlow = () => resolve(c.text("slow")))),
        );
      },
    });
    const stream = await EventReader.open(`${server.url}/stream`);
    await stream.next("a");
    const slow = ask(`${server.url}/slow`);
    await until("the slow request runs", () => answerSlow !== undefined);
    const closing = server.close();
    await stream.over();
    answerSlow!();
    expect((await slow).text).toBe("slow");
    await closing;
    await expect(ask(`${server.url}/healthz`)).rejects.toThrow();
  });

  it("doesn't wait for an idle connection, and may be asked twice", async () => {
    const server = await start();
    const agent = new http.Agent({ keepAlive: true });
    await new Promise((resolve) => http.get(server.url, { agent }, (r) => r.resume().on("end", resolve)));
    await server.close();
    await server.close();
    agent.destroy();
  });

  it("cuts a request that never ends", async () => {
    const server = await start();
    const socket = net.connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.write("POST /thing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf");
    socket.on("error", () => {});
    const ended = new Promise((resolve) => socket.on("close", resolve));
    await new Promise((resolve) => socket.once("ready", resolve));
    await ask(server.url);
    await server.close();
    await ended;
  });
});

describe("how often one may ask", () => {
  const from = (url: string, client: string) =>
    ask(`${url}/thing`, { headers: { "x-forwarded-for": `198.51.100.1, ${client}` } });

  it("is counted by client, as the proxy in front tells it", async () => {
    const { url } = await start({ ratePerMinute: 3 });
    for (let i = 0; i < 3; i += 1) expect((await from(url, "203.0.113.7")).status).toBe(200);
    const refused = await from(url, "203.0.113.7");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect((await from(url, "203.0.113.8")).status).toBe(200);
  });

  it("needs no token on this machine", async () => {
    const { url } = await start({ ratePerMinute: 1 });
    for (let i = 0; i < 3; i += 1) expect((await ask(`${url}/thing`)).status).toBe(200);
  });

  it("fills again over a minute, and remembers so many clients", () => {
    const limit = new RateLimit(60);
    for (let i = 0; i < 60; i += 1) expect(limit.take("a", 0)).toBe(0);
    expect(limit.take("a", 0)).toBe(1);
    expect(limit.take("a", 999)).toBe(1);
    expect(limit.take("a", 1000)).toBe(0);
    for (let i = 0; i < 10_500; i += 1) limit.take(`client ${i}`, 2000);
    expect(limit.clients).toBe(10_000);
  });
});

describe("a path prefix with its own rules", () => {
  it("checks its own secret and has its own body limit", async () => {
    const area = { beginning: "/thing", ownSecret: true, bodyMegabytes: 2 };
    const { url } = await start({ token: TOKEN, areas: [area] });
    const body = "x".repeat(1.5 * 1024 * 1024);
    expect((await ask(`${url}/thing`, { method: "POST", body })).text).toBe(String(body.length));
    expect((await ask(`${url}/thing`, { method: "POST", body: body + body })).status).toBe(413);
    expect((await ask(`${url}/`)).status).toBe(401);
  });
});
