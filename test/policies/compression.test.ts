import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  assemble,
  boundaries,
  fallbackSummary,
  isSummary,
  pruneToolOutput,
  serialiseForSummary,
} from "../../src/policies/compression.js";
import {
  type CompressionSettings,
  compressionReason,
  isOverdue,
  summaryBudget,
  tailBudgetTokens,
  thresholdTokens,
} from "../../src/policies/compression-limits.js";
import type { ChatMessage } from "../../src/session.js";
import { SUMMARY_END, SUMMARY_PREFIX } from "../../src/summary-marks.js";
import { redactAll } from "../support/redact-all.js";

const settings: CompressionSettings = {
  enabled: true,
  threshold: 0.5,
  targetRatio: 0.2,
  protectFirst: 3,
  protectLast: 20,
  hardMessageLimit: 400,
};

const user = (content: string): ChatMessage => ({ role: "user", content });
const assistant = (content: string): ChatMessage => ({ role: "assistant", content });
const call = (id: string, args = "{}", name = "read_file") => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const calls = (...ids: string[]): ChatMessage => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => call(id)),
});
const result = (id: string, content = "ok"): ChatMessage => ({ role: "tool", tool_call_id: id, content });

/** A realistic conversation: a question, some tool rounds with one or two calls each, an answer. */
const conversation = fc
  .array(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 4 }), { minLength: 1, maxLength: 12 })
  .map((turns) => {
    let id = 0;
    return [
      { role: "system", content: "be kind" },
      ...turns.flatMap((rounds) => [
        user("question"),
        ...rounds.flatMap((count) => {
          const ids = Array.from({ length: count }, () => `call-${id++}`);
          return [calls(...ids), ...ids.map((each) => result(each))];
        }),
        assistant("answer"),
      ]),
    ] as ChatMessage[];
  });

describe("when to compress", () => {
  it.each([
    [200_000, 100_000],
    [1_000_000, 500_000],
    [100_000, 64_000],
    [64_000, 54_400],
    [8000, 6800],
  ])("a context of %i is compressed from %i tokens on", (contextLength, tokens) => {
    expect(thresholdTokens(contextLength, 0.5)).toBe(tokens);
    const question = { contextLength, messageCount: 10, settings };
    expect(compressionReason({ ...question, promptTokens: tokens })).toBe("tokens");
    expect(compressionReason({ ...question, promptTokens: tokens - 1 })).toBeUndefined();
  });

  it("compresses at 400 messages, however short, and never when disabled", () => {
    const question = { promptTokens: 5, contextLength: 200_000, settings };
    expect(compressionReason({ ...question, messageCount: 399 })).toBeUndefined();
    expect(compressionReason({ ...question, messageCount: 400 })).toBe("messages");
    const off = { ...settings, enabled: false };
    expect(
      compressionReason({ promptTokens: 1e9, contextLength: 1, messageCount: 1e9, settings: off }),
    ).toBeUndefined();
  });

  it("waits for a pause up to a quarter beyond the limit, or until the context is nearly full", () => {
    const size = { promptTokens: 5, contextLength: 200_000, messageCount: 10, settings };
    expect(isOverdue({ ...size, messageCount: 499 })).toBe(false);
    expect(isOverdue({ ...size, messageCount: 500 })).toBe(true);
    expect(isOverdue({ ...size, promptTokens: 124_999 })).toBe(false);
    expect(isOverdue({ ...size, promptTokens: 125_000 })).toBe(true);
    expect(isOverdue({ ...size, contextLength: 8000, promptTokens: 6800 })).toBe(true);
  });

  it("allows a summary of a fifth of what it replaces, within limits", () => {
    expect(summaryBudget(50_000, 1_000_000)).toBe(10_000);
    expect(summaryBudget(1000, 1_000_000)).toBe(2000);
    expect(summaryBudget(500_000, 1_000_000)).toBe(12_000);
    expect(summaryBudget(500_000, 100_000)).toBe(5000);
  });

  it("allows the tail its share of the threshold, between a tenth and four fifths", () => {
    expect(tailBudgetTokens(200_000, settings)).toBe(20_000);
    expect(tailBudgetTokens(200_000, { ...settings, targetRatio: 5 })).toBe(80_000);
    expect(tailBudgetTokens(200_000, { ...settings, targetRatio: 0 })).toBe(10_000);
  });
});

describe("what to keep", () => {
  const plain = Array.from({ length: 40 }, (_, i) => (i % 2 ? assistant(`a${i}`) : user(`u${i}`)));
  const cost = { protectFirst: 3, protectLast: 20, estimateTokens: () => 100 };

  it("keeps the first three messages and as many of the last as fit one and a half budgets", () => {
    expect(boundaries(plain, { ...cost, tailTokens: 1000 })).toEqual({ headEnd: 3, tailStart: 25 });
  });

  it("keeps at least eight of the last messages, or three if configured", () => {
    expect(boundaries(plain, { ...cost, tailTokens: 1 })?.tailStart).toBe(32);
    expect(boundaries(plain, { ...cost, protectLast: 1, tailTokens: 1 })?.tailStart).toBe(37);
  });

  it("keeps everything that fits the budget, unless there are too many messages", () => {
    expect(boundaries(plain, { ...cost, tailTokens: 1e6 })).toBeUndefined();
    expect(boundaries(plain, { ...cost, tailTokens: 1e6, maxTailMessages: 10 })?.tailStart).toBe(30);
  });

  it("doesn't count the system prompt as one of the first messages", () => {
    const withSystem = [{ role: "system", content: "s" } as ChatMessage, ...plain];
    expect(boundaries(withSystem, { ...cost, tailTokens: 1 })?.headEnd).toBe(4);
  });

  it("never separates a call from its results, and always keeps the last question and answer", () => {
    const options = fc.record({
      protectFirst: fc.nat(5),
      protectLast: fc.nat(10),
      tailTokens: fc.nat(3000),
      estimateTokens: fc.constant(() => 100),
    });
    let cuts = 0;
    fc.assert(
      fc.property(conversation, options, (messages, option) => {
        const found = boundaries(messages, option);
        if (found === undefined) return;
        cuts++;
        const { headEnd, tailStart } = found;
        const middle = messages.slice(headEnd, tailStart);
        const others = [...messages.slice(0, headEnd), ...messages.slice(tailStart)];
        const idsIn = (list: ChatMessage[]) =>
          new Set(list.flatMap((m) => (m.tool_calls ?? []) as { id: string }[]).map((c) => c.id));
        for (const m of middle) if (m.tool_call_id) expect(idsIn(middle)).toContain(m.tool_call_id);
        for (const m of others) if (m.tool_call_id) expect(idsIn(others)).toContain(m.tool_call_id);
        for (const role of ["user", "assistant"]) {
          expect(middle).not.toContain(messages.findLast((m) => m.role === role));
        }
      }),
      { numRuns: 500 },
    );
    expect(cuts).toBeGreaterThan(100);
  });
});

describe("tool output before the tail", () => {
  const long = `first line\n${"x".repeat(300)}`;

  it("is shortened to one line with the tool's name; unchanged in the tail", () => {
    const messages = [calls("1"), result("1", long), calls("2"), result("2", `${long}!`)];
    const pruned = pruneToolOutput(messages, 2);
    expect(pruned[1]?.content).toBe("[read_file] first line (311 characters, 2 lines; shortened)");
    expect(pruned.slice(2)).toEqual(messages.slice(2));
  });

  it("is replaced by a reference if it is repeated later; short output is kept", () => {
    const messages = [
      calls("1", "2"),
      result("1", long),
      result("2", "short"),
      calls("3"),
      result("3", long),
    ];
    const pruned = pruneToolOutput(messages, 3);
    expect(pruned[1]?.content).toMatch(/later tool result/);
    expect(pruned[2]?.content).toBe("short");
    expect(pruned[4]?.content).toBe(long);
  });

  it("has long arguments shortened to valid JSON, even if they were invalid", () => {
    const before = JSON.stringify({ path: "/a", lines: ["y".repeat(900)], deep: { n: 1 } });
    const shrink = (args: string) => {
      const message: ChatMessage = { role: "assistant", content: "", tool_calls: [call("1", args)] };
      const [made] = pruneToolOutput([message], 1)[0]!.tool_calls as ReturnType<typeof call>[];
      return made!.function.arguments;
    };
    expect(JSON.parse(shrink(before))).toMatchObject({ path: "/a", deep: { n: 1 } });
    expect(shrink(before).length).toBeLessThan(300);
    expect(() => JSON.parse(shrink(`{"torn": "${"z".repeat(900)}`))).not.toThrow();
    expect(shrink('{"short":1}')).toBe('{"short":1}');
  });

  it("loses images but keeps the text beside them", () => {
    const content = [
      { type: "text", text: "look" },
      { type: "image_url", image_url: { url: "data:..." } },
    ];
    expect(pruneToolOutput([{ role: "user", content }], 1)[0]?.content).toEqual([
      { type: "text", text: "look" },
      { type: "text", text: "[image removed]" },
    ]);
  });
});

describe("text for the summariser", () => {
  it("names senders and tool calls, and cuts each message to 6,000 characters", () => {
    const text = serialiseForSummary([user("hi"), calls("1"), result("1", "y".repeat(20_000))]);
    expect(text).toMatch(
      /^\[USER\]: hi\n\n\[ASSISTANT\]: \n {2}called read_file\(\{\}\)\n\n\[TOOL RESULT 1\]: y/,
    );
    expect(text.split("\n\n")[2]!.length).toBe(6000);
  });

  it("never splits a character", () => {
    for (const pad of ["", "a"]) {
      expect(serialiseForSummary([user(pad + "😀".repeat(5000))])).not.toMatch(/\p{Surrogate}/u);
    }
  });

  it.each([
    ["an API key", "use sk-proj-abcdEFGH1234ijklMNOP now", "use [REDACTED] now"],
    ["a bearer token", "Authorization: Bearer abc.def-123456", "Authorization: Bearer [REDACTED]"],
    ["a bearer token alone", "with bearer a1b2c3d4e5f6", "with bearer [REDACTED]"],
    ["a code host's token", "ghp_abcdefghij0123456789", "[REDACTED]"],
    ["a chat bot's token", "123456789:AAabcdefghijklmnopqrstuvwxyz0123456", "[REDACTED]"],
    ["a password in an address", "postgres://me:hunter22@host/db", "postgres://me:[REDACTED]@host/db"],
    ["a setting", 'OPENAI_API_KEY="abcdef123456"', 'OPENAI_API_KEY="[REDACTED]"'],
  ])("hides %s", (_, secret, shown) => {
    expect(redactAll(secret)).toBe(shown);
    expect(serialiseForSummary([user(secret)])).toBe(`[USER]: ${shown}`);
  });

  it("hides a private key, even a truncated one", () => {
    const key = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n";
    expect(redactAll(`${key}-----END RSA PRIVATE KEY-----\nrest`)).toBe("[REDACTED]\nrest");
    expect(redactAll(key)).toBe("[REDACTED]");
  });

  it.each([
    "max_tokens: 200000",
    "a basic understanding",
    "the task-force met at 10:30",
    "https://a.b/c:d@e",
  ])("leaves %j alone", (text) => {
    expect(redactAll(text)).toBe(text);
  });
});

describe("the summary without a model", () => {
  it("lists requests, answers and tools without secrets, and is deterministic", () => {
    const middle = [
      user("deploy  it with sk-abcdefgh12345678"),
      calls("1", "2"),
      result("1"),
      result("2"),
      assistant("done"),
    ];
    const summary = fallbackSummary(middle);
    expect(summary).toContain("- deploy it with [REDACTED]");
    expect(summary).toContain("- done");
    expect(summary).toContain("- read_file: 2");
    expect(fallbackSummary(structuredClone(middle))).toBe(summary);
  });

  it("has at most 8,000 characters and keeps the newest requests", () => {
    const middle = Array.from({ length: 500 }, (_, i) =>
      i % 2 ? assistant("z".repeat(900)) : user(`request ${i} ${"😀".repeat(500)}`),
    );
    const summary = fallbackSummary(middle);
    expect(summary.length).toBeLessThanOrEqual(8000);
    expect(summary).not.toMatch(/\p{Surrogate}/u);
    expect(summary).toContain("request 498");
    expect(summary).not.toContain("request 0 ");
  });
});

describe("reassembly", () => {
  const roles = (messages: ChatMessage[]) => messages.map((message) => message.role).join(" ");

  it("puts the summary between its markers and recognises it next time", () => {
    const [, summary] = assemble([user("q")], "what happened", [user("next")]);
    expect(summary?.content).toBe(`${SUMMARY_PREFIX}\nwhat happened\n${SUMMARY_END}`);
    expect(SUMMARY_PREFIX).toBe("[CONTEXT COMPACTION — REFERENCE ONLY]");
    expect([summary!, user("next")].map(isSummary)).toEqual([true, false]);
  });

  it.each<[string, ChatMessage[], ChatMessage[], string]>([
    ["between two users it is the assistant's", [user("")], [user("")], "user assistant user"],
    ["between two assistants it is the user's", [assistant("")], [assistant("")], "assistant user assistant"],
    ["between assistant and user it joins the user's", [assistant("")], [user("")], "assistant user"],
    ["between user and assistant it joins the assistant's", [user("")], [assistant("")], "user assistant"],
    ["first of all it is the user's", [], [assistant("")], "user assistant"],
    ["first of all it joins the user's", [], [user("")], "user"],
    ["last of all after a user it is the assistant's", [user("")], [], "user assistant"],
  ])("%s", (_, head, tail, expected) => {
    const messages = assemble(head, "s", tail);
    expect(roles(messages)).toBe(expected);
    expect(messages.filter(isSummary)).toHaveLength(1);
  });

  it("keeps a message's text and parts when the summary is joined to it", () => {
    const [joined] = assemble([], "s", [user("my words")]);
    expect(joined?.content).toMatch(/---\n\nmy words$/);
    const image = { type: "image_url", image_url: { url: "u" } };
    const [withImage] = assemble([], "s", [{ role: "user", content: [image] }]);
    expect(withImage?.content).toEqual([{ type: "text", text: expect.stringContaining("s") }, image]);
  });

  it("drops results without a call and adds results to calls without one", () => {
    const messages = assemble([user("q"), calls("1", "2"), result("2")], "s", [result("9"), user("next")]);
    expect(roles(messages)).toBe("user assistant tool tool assistant user");
    expect(messages.filter((m) => m.role === "tool").map((m) => m.tool_call_id)).toEqual(["1", "2"]);
  });

  it("alternates user and assistant and keeps calls with their results, wherever the cut is", () => {
    fc.assert(
      fc.property(conversation, fc.nat(40), fc.nat(40), (messages, a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)].map((place) => Math.min(place, messages.length));
        const whole = assemble(messages.slice(0, from), "s", messages.slice(to));
        const asked = whole.flatMap((m) => (m.tool_calls ?? []) as { id: string }[]).map((c) => c.id);
        expect(
          whole
            .filter((m) => m.role === "tool")
            .map((m) => m.tool_call_id)
            .sort(),
        ).toEqual(asked.sort());
        for (const [i, message] of whole.entries()) {
          if (message.role === "user") expect(whole[i - 1]?.role).not.toBe("user");
        }
        expect(whole.filter(isSummary)).toHaveLength(1);
      }),
      { numRuns: 500 },
    );
  });
});
