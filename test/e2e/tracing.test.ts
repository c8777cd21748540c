import { describe, expect, it } from "vitest";
import { tracesUrl } from "../../src/tracing/endpoint.js";
import { rootId } from "../../src/tracing/spans.js";
import { Daemon } from "../support/daemon.js";
import { OtlpReceiver, type ReceivedSpan } from "../support/otlp-receiver.js";
import { until } from "../support/until.js";
import { WebClient } from "../support/web-client.js";

const QUICK = { OTEL_BSP_SCHEDULE_DELAY: "50", OTEL_EXPORTER_OTLP_TIMEOUT: "500" };
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

async function say(daemon: Daemon, text: string): Promise<void> {
  const response = await fetch(`${daemon.url}/api/web/conversations/main/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", traceparent: `00-${TRACE}-00f067aa0ba902b7-01` },
    body: JSON.stringify({ clientId: crypto.randomUUID(), text }),
  });
  expect(response.status).toBe(202);
}

const attribute = (span: ReceivedSpan, name: string) =>
  Object.values(span.attributes.find(({ key }) => key === name)?.value ?? {})[0];

describe("OpenTelemetry", () => {
  it("gets the path of a message as one trace, under the caller's id", async () => {
    const collector = await new OtlpReceiver().start();
    const daemon = await new Daemon().start({ ...QUICK, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await say(daemon, '!tool session_search {"query":"secret words"}');
    const find = (name: string) => collector.spans.find((span) => span.name === name);
    await until("the delivery was told", () => find("deliver web"), { found: () => collector.spans });
    await until("the turn was told", () => find("turn"));
    const [accept, route, turn, tool, deliver] = [
      "accept web",
      "route",
      "turn",
      "tool session_search",
      "deliver web",
    ].map((name) => find(name)!);
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
    expect(accept!.parentSpanId ?? "").toBe("");
    for (const child of [route, turn, deliver]) expect(child!.parentSpanId).toBe(accept!.spanId);
    const model = find("chat echo")!;
    for (const child of [tool, model]) expect(child!.parentSpanId).toBe(turn!.spanId);
    expect(attribute(model, "gen_ai.operation.name")).toBe("chat");
    for (const { startTimeUnixNano: start, endTimeUnixNano: end } of collector.spans)
      expect(BigInt(end)).toBeGreaterThanOrEqual(BigInt(start));
    expect(attribute(turn!, "hermes.turn.outcome")).toBe("answered");
    expect(attribute(deliver!, "hermes.delivery.outcome")).toBe("sent");
    expect(JSON.stringify(collector.spans)).not.toContain("secret words");
    expect([...collector.services]).toEqual(["hermes-gateway"]);
    expect(await daemon.stop()).toBe(0);
  });

  it("gets the delivery after a crash under the same root", async () => {
    const collector = await new OtlpReceiver().start();
    const env = { ...QUICK, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const daemon = await new Daemon().start({ ...env, HERMES_KILL_AT: "before-send" });
    await say(daemon, "hello");
    await daemon.run.ended;
    await daemon.start(env);
    const deliver = await until("the delivery was told", () =>
      collector.spans.find(({ name }) => name === "deliver web"),
    );
    expect(deliver.traceId).toBe(TRACE);
    expect(deliver.parentSpanId).toBe(rootId(TRACE));
  });

  it.each([
    ["that isn't there", async () => "http://127.0.0.1:9"],
    [
      "that refuses",
      async () => {
        const collector = await new OtlpReceiver().start();
        collector.status = 400;
        return collector.url;
      },
    ],
  ])("is harmless with a collector %s, and logs it once", async (_, urlOf) => {
    const daemon = await new Daemon().start({ ...QUICK, OTEL_EXPORTER_OTLP_ENDPOINT: await urlOf() });
    const client = new WebClient(daemon.url);
    for (const text of ["one", "two"]) {
      await client.send(text);
      await client.told("answer");
    }
    const told = () => daemon.run.logged("the collector doesn't accept traces");
    await until("the log says so", () => told().length > 0, { timeoutMs: 20_000 });
    expect(await daemon.stop()).toBe(0);
    expect(told()).toHaveLength(1);
  });

  it("is off without an endpoint", () => {
    expect(tracesUrl({})).toBeUndefined();
    expect(tracesUrl({ OTEL_EXPORTER_OTLP_ENDPOINT: "" })).toBeUndefined();
    expect(tracesUrl({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318/" })).toBe("http://c:4318/v1/traces");
    expect(tracesUrl({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://c/t" })).toBe("http://c/t");
    expect(tracesUrl({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_SDK_DISABLED: "true" })).toBeUndefined();
  });
});
