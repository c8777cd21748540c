import { describe, expect, it } from "vitest";
import { SendError } from "../../src/errors.js";
import { Metrics } from "../../src/metrics/index.js";
import { boundedLabel } from "../../src/metrics/labels.js";
import { TestGateway, type TestGatewayOptions } from "../support/gateway.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";
import { parseMetrics } from "./support.js";

const ann = inDm("ann");

async function measured(options?: TestGatewayOptions) {
  const gateway = await TestGateway.start(options);
  const metrics = new Metrics(gateway.events, { version: "1.2.3", node: "v20" });
  metrics.readFrom({
    backlog: () => gateway.store.backlog(),
    writerStats: () => gateway.store.maintenance.writerStats(),
    fileBytes: async () => [{ file: "state.db", bytes: 7 }],
    turns: () => gateway.gateway.depth,
    openPenalties: () => gateway.gateway.openPenalties.map(({ platform }) => platform),
    platforms: () => gateway.gateway.health(),
    isReady: async () => true,
  });
  const read = async () => parseMetrics(await metrics.text());
  const value = async (name: string) => (await read()).get(name);
  const reaches = (name: string, least: number) =>
    until(`${name} is ${least}`, async () => ((await value(name)) ?? 0) >= least, {
      found: () => value(name),
    });
  return { gateway, metrics, read, value, reaches };
}

describe("metrics", () => {
  it("count a message through the whole pipeline", async () => {
    const { gateway, read, reaches } = await measured();
    const eventId = await gateway.say(ann, '!tool session_search {"query":"x"}');
    await gateway.say(ann, "again", { eventId });
    await gateway.say({ ...ann, userId: "robot" }, "hello", { isBot: true });
    await reaches('hermes_deliveries_total{platform="test",outcome="sent"}', 1);
    const found = await read();
    const expected = {
      'hermes_messages_received_total{platform="test"}': 3,
      'hermes_messages_accepted_total{platform="test"}': 2,
      'hermes_messages_duplicate_total{platform="test"}': 1,
      'hermes_messages_refused_total{platform="test",reason="bot"}': 1,
      'hermes_turns_total{platform="test",outcome="answered"}': 1,
      'hermes_turn_duration_seconds_count{outcome="answered"}': 1,
      'hermes_turn_wait_seconds_count{platform="test"}': 1,
      'hermes_reply_seconds_count{platform="test"}': 1,
      'hermes_tool_duration_seconds_count{tool="session_search",outcome="ok"}': 1,
      'hermes_model_requests_total{provider="echo",model="echo"}': 1,
      'hermes_session_starts_total{platform="test"}': 1,
      'hermes_delivery_parts_total{platform="test"}': 1,
      'hermes_delivery_duration_seconds_count{platform="test"}': 1,
      'hermes_platform_state{platform="test",account="bot",state="ok"}': 1,
      'hermes_platform_state{platform="test",account="bot",state="down"}': 0,
      'hermes_inbox_messages{state="waiting"}': 0,
      'hermes_outbox_messages{state="pending"}': 0,
      'hermes_store_file_bytes{file="state.db"}': 7,
      'hermes_build_info{version="1.2.3",node="v20"}': 1,
      hermes_ready: 1,
      hermes_turns_running: 0,
    };
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, found.get(name)]))).toEqual(
      expected,
    );
    for (const type of ["input", "output"])
      expect(found.get(`hermes_tokens_total{provider="echo",model="echo",type="${type}"}`)).toBeGreaterThan(
        0,
      );
    expect(found.get("process_resident_memory_bytes")).toBeGreaterThan(0);
    expect(found.has("nodejs_eventloop_lag_p99_seconds")).toBe(true);
  });

  it("report commit histograms with cumulative buckets", async () => {
    const { gateway, read } = await measured();
    await gateway.ask(ann, "hello");
    const found = await read();
    const commits = found.get("hermes_store_commit_seconds_count")!;
    expect(commits).toBeGreaterThan(2);
    expect(found.get('hermes_store_commit_seconds_bucket{le="+Inf"}')).toBe(commits);
    expect(found.get("hermes_store_commit_writes_count")).toBe(commits);
    expect(found.get("hermes_store_commit_writes_sum")).toBeGreaterThanOrEqual(commits);
    const buckets = [...found].filter(([name]) => name.startsWith("hermes_store_commit_seconds_bucket"));
    const counts = buckets.map(([, value]) => value);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(found.get("hermes_store_commit_failures_total")).toBe(0);
  });

  it("distinguish failures, retries and penalties", async () => {
    const { gateway, value, reaches } = await measured();
    let failures = 1;
    gateway.adapter.beforeSend = () => {
      if (failures-- > 0) throw new SendError("never_sent", "slow down", { retryAfterMs: 60_000 });
    };
    await gateway.say(ann, "!fail rate_limit");
    await reaches('hermes_penalties_open{platform="test"}', 1);
    expect(await value('hermes_turns_total{platform="test",outcome="failed"}')).toBe(1);
    expect(await value('hermes_turn_failures_total{kind="rate_limit"}')).toBe(1);
    expect(await value('hermes_penalties_total{platform="test",scope="chat"}')).toBe(1);
    expect(await value('hermes_retries_total{stage="delivery",platform="test"}')).toBe(1);
    expect(await value('hermes_inbox_messages{state="dead"}')).toBe(1);
    expect(await value('hermes_outbox_messages{state="pending"}')).toBe(1);
  });

  it("count resets by reason, splits and commands", async () => {
    const { gateway, value } = await measured();
    for (let i = 0; i < 6; i += 1) await gateway.ask(ann, `words ${i}`);
    await gateway.ask(ann, "/compress");
    await gateway.ask(ann, "/new");
    expect(await value('hermes_session_splits_total{platform="test"}')).toBe(1);
    expect(await value('hermes_session_resets_total{platform="test",reason="manual"}')).toBe(1);
    expect(await value('hermes_commands_total{command="new",outcome="ok"}')).toBe(1);
  });

  it("report ready messages only, not those waiting behind their own chat", async () => {
    const { gateway, value, reaches } = await measured({ config: { max_concurrent_sessions: 1 } });
    await gateway.say(ann, "!slow 60000 never");
    await reaches("hermes_turns_running", 1);
    await gateway.say(ann, "behind it");
    await reaches('hermes_inbox_messages{state="waiting"}', 1);
    expect(await value("hermes_inbox_ready_oldest_seconds")).toBe(0);
    await gateway.say(inDm("bob"), "no place for me");
    await until("bob waits", async () => ((await value("hermes_inbox_ready_oldest_seconds")) ?? 0) > 0);
    expect(await value('hermes_inbox_messages{state="waiting"}')).toBe(2);
  });

  it("contain no chat, person or text", async () => {
    const { gateway, metrics } = await measured();
    await gateway.ask({ ...inDm("zaphod"), chatId: "chat-4711" }, "the answer is fortytwo");
    const text = await metrics.text();
    for (const word of ["zaphod", "chat-4711", "fortytwo"]) expect(text).not.toContain(word);
  });

  it("bound label values from outside", () => {
    const label = boundedLabel(2);
    expect(["a", "b", "c", "a", "d"].map(label)).toEqual(["a", "b", "other", "a", "other"]);
  });
});
