import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { HealthTracker } from "../../../src/adapters/kit/health.js";

function tracker(staleMs = 60_000) {
  const lines: string[] = [];
  const log = (level: string, message: string) => void lines.push(`${level}: ${message}`);
  return { health: new HealthTracker({ label: "Pigeon", staleMs, log }), lines };
}

describe("HealthTracker", () => {
  it("is down before the first connect", () => {
    const { health, lines } = tracker();
    expect(health.read()).toEqual({ state: "down", lastProofAt: null, detail: "Not connected to Pigeon" });
    health.up();
    expect(health.read()).toEqual({ state: "ok", lastProofAt: expect.any(Number) });
    expect(lines).toEqual([]);
  });

  it("says that it is back only where it was up before", () => {
    const { health, lines } = tracker();
    health.heard();
    health.up();
    expect(lines).toEqual([]);
  });

  it("logs a problem once, and the recovery", () => {
    const { health, lines } = tracker();
    health.up();
    for (let i = 0; i < 5; i++) health.trouble("degraded", "No network");
    expect(health.read()).toMatchObject({ state: "degraded", detail: "No network" });
    health.trouble("down", "Token refused");
    health.up();
    expect(lines).toEqual(["warn: No network", "error: Token refused", "info: Pigeon is back"]);
  });

  it("keeps a problem when it only hears a sign of life", () => {
    const { health } = tracker();
    health.trouble("down", "Another poller");
    health.heard();
    expect(health.read()).toMatchObject({ state: "down", lastProofAt: expect.any(Number) });
  });

  it("is degraded after a long silence", async () => {
    const { health } = tracker(5);
    health.up();
    await sleep(20);
    expect(health.read()).toMatchObject({
      state: "degraded",
      detail: expect.stringContaining("No sign of life"),
    });
  });

  it("shows issues beside a working connection, the worst first", () => {
    const { health, lines } = tracker();
    health.up();
    health.issue("sockets", "Two sockets are open", "ok");
    expect(health.read()).toMatchObject({ state: "ok", detail: "Two sockets are open" });
    health.issue("sending", "Can't send");
    health.issue("sending", "Can't send");
    expect(health.read()).toMatchObject({ state: "degraded", detail: "Can't send" });
    health.trouble("down", "Token refused");
    expect(health.read()).toMatchObject({ state: "down", detail: "Token refused" });
    health.up();
    health.issue("sending", undefined);
    health.issue("sockets", undefined);
    expect(health.read().detail).toBeUndefined();
    expect(lines.filter((line) => line.includes("Can't send"))).toHaveLength(1);
  });

  it("is down after it was closed, without a log line", () => {
    const { health, lines } = tracker();
    health.up();
    health.closed();
    expect(health.read()).toMatchObject({ state: "down", detail: "Not connected to Pigeon" });
    expect(lines).toEqual([]);
  });
});
