import { describe, expect, it } from "vitest";
import { tempStore } from "../support/temp.js";

describe("sessions", () => {
  it("gets an id of local time and eight hex digits", async () => {
    const { store } = await tempStore();
    const session = await store.createSession({ source: "cli" });
    expect(session.id).toMatch(/^\d{8}_\d{6}_[0-9a-f]{8}$/);
    expect(session).toMatchObject({
      source: "cli",
      message_count: 0,
      ended_at: null,
      archived: 0,
      rewind_count: 0,
    });
  });

  it("isn't changed when created again", async () => {
    const { store } = await tempStore();
    await store.createSession({ id: "a", source: "cli", model: "one" });
    const again = await store.createSession({ id: "a", source: "telegram", model: "two" });
    expect(again).toMatchObject({ source: "cli", model: "one" });
  });

  it("keeps its first end until it is reopened", async () => {
    const { store } = await tempStore();
    await store.createSession({ id: "a", source: "cli" });
    expect(await store.endSession("a", "session_reset")).toBe(true);
    expect(await store.endSession("a", "compression")).toBe(false);
    expect((await store.getSession("a"))?.end_reason).toBe("session_reset");
    expect(await store.reopenSession("a")).toBe(true);
    expect(await store.getSession("a")).toMatchObject({ ended_at: null, end_reason: null });
    expect(await store.endSession("nobody", "session_reset")).toBe(false);
  });

  it("is found by id, by the unique beginning of its id, and by title", async () => {
    const { store } = await tempStore();
    await store.createSession({ id: "20260101_000000_aaaaaaaa", source: "cli", title: "my project" });
    await store.createSession({ id: "20260101_000000_bbbbbbbb", source: "cli" });
    const idOf = async (reference: string) => (await store.getSession({ called: reference }))?.id.slice(-8);
    expect(await idOf("20260101_000000_bbbbbbbb")).toBe("bbbbbbbb");
    expect(await idOf("20260101_000000_a")).toBe("aaaaaaaa");
    expect(await idOf("my project")).toBe("aaaaaaaa");
    expect(await idOf("20260102")).toBeUndefined();
    await expect(store.getSession({ called: "2026" })).rejects.toMatchObject({
      code: "conflict",
      hint: expect.stringContaining("20260101_000000_aaaaaaaa"),
    });
  });

  it("counts usage by adding or setting, and keeps the first model", async () => {
    const { store } = await tempStore();
    await store.createSession({ id: "a", source: "cli" });
    await store.addUsage("a", {
      input_tokens: 10,
      output_tokens: 5,
      api_call_count: 1,
      model: "m1",
      estimated_cost_usd: 0.5,
    });
    await store.addUsage("a", { input_tokens: 7, model: "m2", estimated_cost_usd: 0.25 });
    expect(await store.getSession("a")).toMatchObject({
      input_tokens: 17,
      output_tokens: 5,
      api_call_count: 1,
      model: "m1",
      estimated_cost_usd: 0.75,
    });
    await store.addUsage("a", { input_tokens: 3 }, "set");
    expect((await store.getSession("a"))?.input_tokens).toBe(3);
  });

  it("is created by usage that comes first", async () => {
    const { store } = await tempStore();
    await store.addUsage("early", { output_tokens: 1 });
    expect(await store.getSession("early")).toMatchObject({ source: "unknown", output_tokens: 1 });
  });
});
