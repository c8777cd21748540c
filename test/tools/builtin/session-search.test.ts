import { describe, expect, it } from "vitest";
import type { Principal } from "../../../src/message.js";
import type { ReadLimits } from "../../../src/store/sqlite/engine.js";
import type { Store } from "../../../src/store/store.js";
import { sessionSearchTool } from "../../../src/tools/builtin/session-search.js";
import type { SessionReader } from "../../../src/tools/session-reader.js";
import { tempStore } from "../../support/temp.js";
import { toolCall } from "../../support/tool-call.js";

const ann: Principal = { platform: "web", userId: "ann" };
const bob: Principal = { platform: "web", userId: "bob" };
const owner: Principal = { platform: "web", userId: "olga", owner: true };

/** As the gateway wires it. */
function readerOf(store: Store): SessionReader {
  return {
    searchMessages: (query, options) => store.searchMessages(query, options),
    getSession: (id) => store.getSession(id),
    getMessages: (id) => store.getMessages(id),
    listSessions: (query) => store.listSessions(query),
    getLineage: (id) => store.getLineage(id),
    canSee: async (principal, id) => (await store.getSession(id, principal)) !== undefined,
  };
}

interface Answer {
  success: boolean;
  mode?: string;
  error?: string;
  count?: number;
  results?: Record<string, unknown>[];
  [field: string]: unknown;
}

async function setUp(limits: Partial<ReadLimits> = {}) {
  const { store } = await tempStore(undefined, undefined, { limits });
  await store.createSession({ id: "now", source: "web", user_id: "ann" });
  const use = async (
    principal: Principal,
    args: Record<string, unknown>,
    sessionId = "now",
  ): Promise<Answer> => {
    const session = { id: sessionId, key: "key", source: "web" };
    return JSON.parse(await sessionSearchTool(readerOf(store)).run(args, toolCall({ principal, session })));
  };
  /** A conversation of that many messages about one thing. */
  const talk = async (id: string, user_id: string, topic: string, count = 2): Promise<number[]> => {
    await store.createSession({ id, source: "web", user_id });
    const messages = Array.from({ length: count }, (_, i) => ({
      role: i % 2 ? "assistant" : "user",
      content: `${topic} ${i}`,
    }));
    return store.appendMessages(id, messages);
  };
  return { store, use, talk };
}

const ids = (answer: Answer) => (answer.results ?? []).map((result) => result.session_id);

describe("browse", () => {
  it("lists the caller's latest conversations without the current one", async () => {
    const { store, use, talk } = await setUp();
    await talk("a", "ann", "walrus");
    await talk("b", "bob", "penguin");
    await store.appendMessages("now", [{ role: "user", content: "what did we say?" }]);
    const answer = await use(ann, {});
    expect(answer).toMatchObject({ success: true, mode: "browse", count: 1 });
    expect(answer.results?.[0]).toMatchObject({ session_id: "a", source: "web", preview: "walrus 0" });
  });
});

describe("discover", () => {
  it("shows the text around a match, and the conversation's start and end", async () => {
    const { use, talk } = await setUp();
    const rows = await talk("a", "ann", "walrus", 30);
    const answer = await use(ann, { query: '"walrus 15"' });
    expect(answer).toMatchObject({ success: true, mode: "discover", count: 1 });
    const [found] = answer.results!;
    expect(found).toMatchObject({
      session_id: "a",
      source: "web",
      title: null,
      matched_role: "assistant",
      match_message_id: rows[15],
      messages_before: 10,
      messages_after: 9,
    });
    const texts = (field: string) => (found![field] as { content: string }[]).map(({ content }) => content);
    expect(texts("messages")).toEqual(Array.from({ length: 11 }, (_, i) => `walrus ${i + 10}`));
    expect(texts("bookend_start")).toEqual(["walrus 0", "walrus 1", "walrus 2"]);
    expect(texts("bookend_end")).toEqual(["walrus 27", "walrus 28", "walrus 29"]);
    expect(found!.snippet).toContain("walrus");
    expect(Date.parse(String(found!.when))).not.toBeNaN();
  });

  it("finds three conversations by default, ten at most", async () => {
    const { use, talk } = await setUp();
    for (let i = 0; i < 12; i++) await talk(`a${i}`, "ann", "walrus", 1);
    expect((await use(ann, { query: "walrus" })).count).toBe(3);
    expect((await use(ann, { query: "walrus", limit: "5" })).count).toBe(5);
    expect((await use(ann, { query: "walrus", limit: 99 })).count).toBe(10);
  });

  it("counts a compressed conversation once", async () => {
    const { store, use, talk } = await setUp();
    await talk("a", "ann", "walrus");
    await store.splitSession({
      parentId: "a",
      childId: "a2",
      messages: [{ role: "user", content: "walrus again" }],
    });
    expect((await use(ann, { query: "walrus" })).count).toBe(1);
  });

  it("skips the current conversation and its compressed ancestors", async () => {
    const { store, use, talk } = await setUp();
    await talk("a", "ann", "walrus");
    await store.splitSession({ parentId: "a", childId: "a2" });
    expect((await use(ann, { query: "walrus" }, "a2")).count).toBe(0);
  });

  it("searches tool output only on request", async () => {
    const { store, use, talk } = await setUp();
    await talk("a", "ann", "penguin");
    await store.appendMessages("a", [{ role: "tool", content: "walrus found", tool_call_id: "c" }]);
    expect((await use(ann, { query: "walrus" })).count).toBe(0);
    expect((await use(ann, { query: "walrus", role_filter: "tool" })).count).toBe(1);
  });

  it("skips sessions of subagents", async () => {
    const { store, use } = await setUp();
    await store.createSession({ id: "sub", source: "subagent" });
    await store.appendMessages("sub", [{ role: "user", content: "walrus" }]);
    expect((await use(owner, { query: "walrus" })).count).toBe(0);
  });
});

describe("read", () => {
  it("returns a short conversation whole", async () => {
    const { use, talk } = await setUp();
    await talk("a", "ann", "walrus", 30);
    const answer = await use(ann, { session_id: "a" });
    expect(answer).toMatchObject({ success: true, mode: "read", message_count: 30 });
    expect(answer.messages).toHaveLength(30);
  });

  it("returns the first 20 and last 10 messages of a long one", async () => {
    const { use, talk } = await setUp();
    await talk("a", "ann", "walrus", 45);
    const answer = await use(ann, { session_id: "a" });
    expect(answer.messages).toHaveLength(20);
    expect(answer.messages_left_out).toBe(15);
    expect(answer.last_messages).toHaveLength(10);
  });

  it("truncates long messages", async () => {
    const { store, use, talk } = await setUp();
    await talk("a", "ann", "walrus");
    await store.appendMessages("a", [{ role: "user", content: "x".repeat(100_000) }]);
    expect(JSON.stringify(await use(ann, { session_id: "a" })).length).toBeLessThan(5000);
  });
});

describe("scroll", () => {
  it("shows the messages around one", async () => {
    const { use, talk } = await setUp();
    const rows = await talk("a", "ann", "walrus", 60);
    const around = (window?: number) =>
      use(ann, { session_id: "a", around_message_id: rows[30], ...(window ? { window } : {}) });
    const answer = await around();
    expect(answer).toMatchObject({ success: true, mode: "scroll", messages_before: 25, messages_after: 24 });
    expect(answer.messages).toHaveLength(11);
    expect((await around(1)).messages).toHaveLength(3);
    expect((await around(500)).messages).toHaveLength(41);
  });

  it("finds a message in another part of the lineage", async () => {
    const { store, use, talk } = await setUp();
    const [first] = await talk("a", "ann", "walrus");
    await store.splitSession({ parentId: "a", childId: "a2" });
    expect(await use(ann, { session_id: "a2", around_message_id: first })).toMatchObject({
      success: true,
      session_id: "a",
    });
  });

  it("is rejected for the current conversation", async () => {
    const { store, use, talk } = await setUp();
    const [first] = await talk("a", "ann", "walrus");
    await store.splitSession({ parentId: "a", childId: "a2" });
    const answer = await use(ann, { session_id: "a", around_message_id: first }, "a2");
    expect(answer).toMatchObject({ success: false, error: expect.stringContaining("current conversation") });
  });

  it("doesn't find a message of another conversation", async () => {
    const { use, talk } = await setUp();
    await talk("a", "ann", "walrus");
    const [other] = await talk("b", "ann", "penguin");
    expect((await use(ann, { session_id: "a", around_message_id: other })).success).toBe(false);
  });
});

describe("another person's session", () => {
  it("isn't listed or found", async () => {
    const { use, talk } = await setUp();
    await talk("b", "bob", "penguin");
    expect(ids(await use(ann, {}))).toEqual([]);
    expect(ids(await use(ann, { query: "penguin" }))).toEqual([]);
  });

  it("gets the same answer as a missing one", async () => {
    const { use, talk } = await setUp();
    const [row] = await talk("b", "bob", "penguin");
    const words = async (args: Record<string, unknown>) => (await use(ann, args)).error;
    for (const more of [{}, { around_message_id: row }]) {
      const hidden = await words({ session_id: "b", ...more });
      const missing = await words({ session_id: "zz", ...more });
      expect(hidden?.replace("b ", "zz ")).toBe(missing);
    }
  });

  it("isn't reachable through the lineage of one's own", async () => {
    const { store, use } = await setUp();
    await store.createSession({ id: "b", source: "web", user_id: "bob" });
    const [secret] = await store.appendMessages("b", [{ role: "user", content: "penguin" }]);
    await store.createSession({ id: "a", source: "web", user_id: "ann", parent_session_id: "b" });
    const answer = await use(ann, { session_id: "a", around_message_id: secret });
    expect(answer).toMatchObject({ success: false });
    expect(JSON.stringify(answer)).not.toContain("penguin");
  });

  it("is visible to its participants", async () => {
    const { store, use, talk } = await setUp();
    await talk("room", "bob", "penguin");
    await store.addParticipant("room", ann);
    expect(ids(await use(ann, { query: "penguin" }))).toEqual(["room"]);
    expect(await use(ann, { session_id: "room" })).toMatchObject({ success: true });
    expect(ids(await use(bob, { query: "penguin" }))).toEqual(["room"]);
  });

  it("isn't listed if only the access check hides it", async () => {
    const { store, talk } = await setUp();
    await talk("a", "ann", "walrus");
    const reader = { ...readerOf(store), canSee: async () => false };
    const found = await sessionSearchTool(reader).run({}, toolCall({ principal: ann }));
    expect(JSON.parse(found)).toMatchObject({ count: 0, results: [] });
  });

  it("is visible to owners", async () => {
    const { use, talk } = await setUp();
    await talk("b", "bob", "penguin");
    expect(ids(await use(owner, { query: "penguin" }))).toEqual(["b"]);
    expect(await use(owner, { session_id: "b" })).toMatchObject({ success: true });
  });
});

it("reports a search timeout to the agent with advice", async () => {
  const { use } = await setUp({ longMs: 0 });
  expect(await use(ann, { query: "otters" })).toEqual({
    success: false,
    error: expect.stringMatching(/^The database didn't answer in time .* rarer words/),
  });
});
