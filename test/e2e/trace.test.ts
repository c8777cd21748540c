import { describe, expect, it } from "vitest";
import type { Trace } from "../../src/store/reports.js";
import { isTraceId, traceIdOfRequest } from "../../src/trace-id.js";
import { runHermes } from "../cli/support/run.js";
import { Daemon } from "../support/daemon.js";
import { until } from "../support/until.js";

const DEBUG = { yaml: "log: { level: debug }\n" };

async function post(daemon: Daemon, text: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${daemon.url}/api/web/conversations/main/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ clientId: crypto.randomUUID(), text }),
  });
  expect(response.status).toBe(202);
  return response.headers.get("x-request-id")!;
}

async function traceOf(daemon: Daemon, reference: string): Promise<Trace> {
  const { stdout, stderr, code } = await runHermes(daemon.home, ["trace", reference, "--json"]);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return (JSON.parse(stdout) as Trace[])[0]!;
}

const linesOf = (daemon: Daemon, traceId: string) =>
  daemon.run.stderr
    .split("\n")
    .filter((line) => line.includes(traceId))
    .map((line) => (JSON.parse(line) as { msg: string }).msg);

describe("one trace id", () => {
  it("is in the response and in every log line, and finds the message", async () => {
    const daemon = await new Daemon(DEBUG).start();
    const traceId = await post(daemon, "hello");
    expect(isTraceId(traceId)).toBe(true);
    await until("it is sent", () => linesOf(daemon, traceId).includes("sent"));
    expect(linesOf(daemon, traceId)).toEqual(["accepted", "routed", "turn started", "answered", "sent"]);
    const trace = await traceOf(daemon, traceId);
    expect(trace.inbox.traceId).toBe(traceId);
    expect(trace.deliveries.map((delivery) => delivery.traceId)).toEqual([traceId]);
    const shown = await runHermes(daemon.home, ["trace", `in:${trace.inbox.id}`]);
    expect(shown.stdout).toContain(traceId);
  });

  it("is the caller's id if given, even across a crash", async () => {
    const daemon = await new Daemon(DEBUG).start({ HERMES_KILL_AT: "turn-committed" });
    expect(await post(daemon, "hello", { "x-request-id": "order-66" })).toBe("order-66");
    const traceId = traceIdOfRequest("order-66");
    expect((await daemon.run.ended).signal).toBe("SIGKILL");
    await daemon.start();
    await until("it is sent after all", () => linesOf(daemon, traceId).includes("sent"));
    expect((await traceOf(daemon, "order-66")).inbox.traceId).toBe(traceId);
    const parent = "4bf92f3577b34da6a3ce929d0e0e4736";
    expect(await post(daemon, "again", { traceparent: `00-${parent}-00f067aa0ba902b7-01` })).toBe(parent);
    expect((await traceOf(daemon, parent)).inbox.message.text).toBe("again");
  });

  it("leads to every attempt, also to one that a crash ended", async () => {
    const daemon = await new Daemon().start({ HERMES_KILL_AT: "turn-started" });
    await post(daemon, "hello", { "x-request-id": "order-67" });
    expect((await daemon.run.ended).signal).toBe("SIGKILL");
    await daemon.start();
    const outcomes = async () => (await traceOf(daemon, "order-67")).attempts.map(({ outcome }) => outcome);
    await until("the second attempt is recorded", async () => (await outcomes()).length === 2);
    expect(await outcomes()).toEqual(["cut off", "answered"]);
    const { stdout } = await runHermes(daemon.home, ["trace", "order-67"]);
    expect(stdout).toMatch(/attempt 1 {2}cut off/);
    expect(stdout).toMatch(/attempt 2 {2}answered .*tokens/);
  });

  it("is on answers to requests that make no message, and never what isn't fit for it", async () => {
    const daemon = await new Daemon().start();
    const idOf = async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(`${daemon.url}${path}`, { headers })).headers.get("x-request-id")!;
    expect(isTraceId(await idOf("/healthz"))).toBe(true);
    expect(isTraceId(await idOf("/nothing-here"))).toBe(true);
    expect(await idOf("/healthz", { "x-request-id": "mine" })).toBe("mine");
    expect(isTraceId(await idOf("/healthz", { "x-request-id": "<script> a" }))).toBe(true);
  });
});
