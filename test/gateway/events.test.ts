import { describe, expect, it } from "vitest";
import { SendError } from "../../src/errors.js";
import type { GatewayEvent } from "../../src/events.js";
import { isTraceId } from "../../src/trace-id.js";
import { TestGateway, type TestGatewayOptions } from "../support/gateway.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");

async function watched(options?: TestGatewayOptions) {
  const gateway = await TestGateway.start(options);
  const seen: GatewayEvent[] = [];
  gateway.events.watch("test", (event) => seen.push(event));
  const types = () => seen.map(({ type }) => type);
  const of = <T extends GatewayEvent["type"]>(type: T) =>
    seen.filter((event): event is Extract<GatewayEvent, { type: T }> => event.type === type);
  const whenSettled = (count = 1) =>
    until(`${count} deliveries are settled`, () => of("delivery-settled").length >= count);
  return { gateway, seen, types, of, whenSettled };
}

describe("events of a message", () => {
  it("cover it from receipt to delivery, under one trace id", async () => {
    const { gateway, seen, types, of, whenSettled } = await watched();
    const said = await gateway.say(ann, '!tool session_search {"query":"x"}');
    await whenSettled();
    expect(types()).toEqual([
      "received",
      "accepted",
      "routed",
      "session-started",
      "turn-started",
      "turn-step",
      "tool-started",
      "tool-ended",
      "turn-usage",
      "turn-ended",
      "delivery-settled",
    ]);
    const ids = new Set(seen.flatMap((event) => ("traceId" in event ? [event.traceId] : [])));
    expect(ids.size).toBe(1);
    const [traceId] = ids;
    expect(isTraceId(traceId)).toBe(true);
    expect(of("turn-step")[0]).toMatchObject({
      step: 1,
      tools: ["session_search"],
      sessionId: expect.any(String),
    });
    expect(of("turn-ended")[0]).toMatchObject({ outcome: "answered", failure: null });
    expect(of("delivery-settled")[0]).toMatchObject({
      outcome: "sent",
      platform: "test",
      parts: 1,
      attempts: 1,
    });
    // The id leads to the message, and vice versa.
    const [trace] = await gateway.store.reports.traceMessage(traceId!);
    expect(trace?.inbox.message.eventId).toBe(said);
    expect(trace?.deliveries.map((delivery) => delivery.traceId)).toEqual([traceId]);
  });

  it("have the same trace id for a duplicate", async () => {
    const { gateway, of } = await watched();
    const eventId = await gateway.say(ann, "hello");
    await gateway.say(ann, "hello", { eventId });
    await gateway.idle();
    expect(of("received")).toHaveLength(2);
    expect(of("duplicate")).toMatchObject([{ eventId, traceId: of("accepted")[0]!.traceId }]);
  });

  it("use the trace id of the source", async () => {
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const { gateway, of, whenSettled } = await watched();
    await gateway.say(ann, "hello", { traceId });
    await whenSettled();
    expect(of("delivery-settled")[0]!.traceId).toBe(traceId);
  });

  it("include the reason of a refusal and the failure of a turn", async () => {
    const { gateway, of, whenSettled } = await watched();
    await gateway.say({ ...ann, userId: "robot" }, "hello", { isBot: true });
    await gateway.say(ann, "!fail rate_limit");
    await whenSettled();
    expect(of("routed").map(({ to, reason }) => [to, reason])).toEqual([
      ["refuse", "bot"],
      ["turn", null],
    ]);
    expect(of("turn-ended")).toMatchObject([{ outcome: "failed", failure: { kind: "rate_limit" } }]);
    expect(of("delivery-settled")[0]).toMatchObject({ kind: "notice", outcome: "sent" });
  });

  it("include every send attempt and the platform's wait", async () => {
    const { gateway, of, whenSettled } = await watched();
    let failures = 1;
    gateway.adapter.beforeSend = () => {
      if (failures-- > 0) throw new SendError("never_sent", "slow down", { retryAfterMs: 20 });
    };
    await gateway.say(ann, "hello");
    await whenSettled(2);
    expect(of("penalised")).toMatchObject([{ platform: "test", scope: "chat", seconds: 0.02 }]);
    expect(of("delivery-settled").map(({ outcome }) => outcome)).toEqual(["retrying", "sent"]);
  });

  it("include commands, resets and summaries", async () => {
    const { gateway, of } = await watched();
    await gateway.ask(ann, "hello");
    const before = (await gateway.session(ann)).id;
    await gateway.ask(ann, "/new");
    expect(of("command-started")).toMatchObject([{ command: "new", args: "" }]);
    expect(of("command-ended")).toMatchObject([{ command: "new", ok: true }]);
    expect(of("session-reset")).toMatchObject([{ reason: "manual", sessionId: before }]);
    expect(of("session-started")).toHaveLength(2);
    expect(of("session-started")[1]!.sessionId).not.toBe(before);
    for (let i = 0; i < 6; i += 1) await gateway.ask(ann, `words ${i}`);
    const parent = (await gateway.session(ann)).id;
    await gateway.ask(ann, "/compress");
    const [compressed] = of("session-compressed");
    expect(compressed).toMatchObject({ oldSessionId: parent, sessionId: (await gateway.session(ann)).id });
    expect(compressed!.after).toBeLessThan(compressed!.before);
  });

  it("include the reason for a new session", async () => {
    const config = { session_reset: { mode: "idle", idle_minutes: 10 } };
    const { gateway, of } = await watched({ config });
    await gateway.ask(ann, "hello");
    await gateway.silentFor(ann, 3600);
    await gateway.ask(ann, "hello again");
    expect(of("session-reset").map(({ reason }) => reason)).toEqual(["idle"]);
  });

  it("are logged with the trace id and without the text", async () => {
    const { gateway, of, whenSettled } = await watched();
    await gateway.say(ann, "!fail network");
    await whenSettled();
    const [line] = gateway.warnings;
    expect(line?.message).toBe("turn ended without an answer");
    expect(line?.fields).toMatchObject({ traceId: of("accepted")[0]!.traceId, outcome: "failed" });
    expect(JSON.stringify(gateway.warnings)).not.toContain("!fail");
  });
});
