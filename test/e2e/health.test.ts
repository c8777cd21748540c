import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseMetrics } from "../metrics/support.js";
import { Daemon } from "../support/daemon.js";
import { until } from "../support/until.js";
import { WebClient } from "../support/web-client.js";

interface Ready {
  status: string;
  problems?: { check: string; reason: string }[];
}

async function readyz(daemon: Daemon): Promise<{ code: number; body: Ready }> {
  const response = await fetch(`${daemon.url}/readyz`);
  return { code: response.status, body: (await response.json()) as Ready };
}

const whenReady = (daemon: Daemon, code: number) =>
  until(
    `/readyz answers ${code}`,
    async () => {
      const found = await readyz(daemon);
      return found.code === code && found;
    },
    { found: () => readyz(daemon), timeoutMs: 20_000 },
  );

describe("a running gateway", () => {
  it("is alive and ready, and serves metrics", async () => {
    const daemon = await new Daemon().start();
    expect(await (await fetch(`${daemon.url}/healthz`)).json()).toEqual({ status: "ok" });
    expect(await readyz(daemon)).toEqual({ code: 200, body: { status: "ready" } });
    const client = new WebClient(daemon.url);
    await client.send("hello");
    await client.told("answer");
    const response = await fetch(`${daemon.url}/metrics`);
    expect(response.headers.get("content-type")).toContain("version=0.0.4");
    const found = parseMetrics(await response.text());
    expect(found.get('hermes_messages_accepted_total{platform="web"}')).toBe(1);
    expect(found.get("hermes_ready")).toBe(1);
    expect(found.get('hermes_store_file_bytes{file="state.db"}')).toBeGreaterThan(0);
  });

  it("requires the token for metrics, but not for readiness", async () => {
    const daemon = await new Daemon().start({ HERMES_HTTP_TOKEN: "a-long-token" });
    expect((await fetch(`${daemon.url}/metrics`)).status).toBe(401);
    expect((await fetch(`${daemon.url}/readyz`)).status).toBe(200);
    const headers = { authorization: "Bearer a-long-token" };
    expect((await fetch(`${daemon.url}/metrics`, { headers })).status).toBe(200);
  });

  it("isn't ready while a pending message is stuck, and is again afterwards", async () => {
    const yaml = "max_concurrent_sessions: 1\nhealth: { max_wait: 0.2 }\n";
    const daemon = await new Daemon({ yaml }).start();
    const slow = new WebClient(daemon.url);
    const other = new WebClient(daemon.url);
    await slow.send("!slow 3000 done");
    await other.send("waits");
    const { body } = await whenReady(daemon, 503);
    expect(body.problems).toEqual([{ check: "inbox", reason: expect.stringContaining("its chat is free") }]);
    const found = parseMetrics(await (await fetch(`${daemon.url}/metrics`)).text());
    expect(found.get("hermes_ready")).toBe(0);
    await other.told("answer");
    await whenReady(daemon, 200);
  });

  it("accepts no messages after its database was deleted, and logs it once", async () => {
    const daemon = await new Daemon().start();
    const client = new WebClient(daemon.url);
    await client.send("hello");
    await client.told("answer");
    for (const name of ["state.db", "state.db-wal", "state.db-shm"]) fs.rmSync(daemon.file(name));
    const { body } = await whenReady(daemon, 503);
    expect(body.problems).toEqual([
      { check: "store", reason: expect.stringContaining("deleted or replaced") },
    ]);
    const refused = await client.post(randomUUID(), "is anybody there?");
    expect(refused.status).toBe(503);
    expect(refused.text).not.toContain(daemon.home);
    await daemon.stop();
    const lines = daemon.run.stderr.split("\n").filter((line) => line.includes("deleted or replaced"));
    expect(lines).toHaveLength(1);
  });

  it("isn't ready while another process holds the database, and still answers", async () => {
    const daemon = await new Daemon().start();
    const db = new Database(path.join(daemon.home, "state.db"));
    onTestFinished(() => void db.close());
    db.exec("BEGIN IMMEDIATE");
    const { body } = await whenReady(daemon, 503);
    expect(body.problems).toEqual([
      { check: "store", reason: expect.stringContaining("holds the database") },
    ]);
    const found = parseMetrics(await (await fetch(`${daemon.url}/metrics`)).text());
    expect(found.get("hermes_store_lock_waits_total")).toBeGreaterThan(0);
    expect(found.get("hermes_store_stalled_seconds")).toBeGreaterThan(1);
    db.exec("ROLLBACK");
    await whenReady(daemon, 200);
  });
});
