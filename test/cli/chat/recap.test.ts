import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { drawRecap, recapOf } from "../../../src/cli/chat/recap.js";
import type { MessageRow } from "../../../src/session.js";

const LIMITS = { exchanges: 10, userChars: 300, assistantChars: 200, assistantLines: 3 };

function rows(...messages: (Partial<MessageRow> & Pick<MessageRow, "role">)[]): MessageRow[] {
  const empty = { content: null, tool_calls: null, timestamp: 0 };
  return messages.map((message, id) => ({ ...empty, id, session_id: "s", ...message }) as MessageRow);
}

const user = (content: string) => ({ role: "user", content }) as const;
const assistant = (content: string | null, ...tools: string[]) =>
  ({
    role: "assistant",
    content,
    tool_calls: tools.length === 0 ? null : tools.map((name) => ({ function: { name } })),
  }) as const;
const textsOf = (messages: MessageRow[], limits = LIMITS) =>
  recapOf(messages, limits).entries.map(({ from, text }) => `${from === "user" ? "●" : "◆"} ${text}`);

describe("the recap", () => {
  it("shows who said what", () => {
    expect(textsOf(rows(user("Hello"), assistant("Hi!")))).toEqual(["● Hello", "◆ Hi!"]);
  });

  it("hides system messages, tool results and reasoning", () => {
    const messages = rows(
      { role: "system", content: "You are" },
      user("Q"),
      { ...assistant(null, "terminal"), reasoning: "secret thought" },
      { role: "tool", content: "output", tool_name: "terminal" },
      assistant("A"),
    );
    expect(textsOf(messages)).toEqual(["● Q", "◆ A\n[1 tool call: terminal]"]);
  });

  it("collapses tool calls to a count with their names, four of them at most", () => {
    const calls = rows(user("Q"), assistant(null, "terminal", "web_search"), assistant(null, "terminal"), {
      role: "tool",
      content: "x",
    });
    expect(textsOf(calls)).toEqual(["● Q", "◆ [3 tool calls: terminal, web_search]"]);
    const many = rows(user("Q"), assistant("A", "a", "b", "c", "d", "e"));
    expect(textsOf(many)).toEqual(["● Q", "◆ A\n[5 tool calls: a, b, c, d, …]"]);
  });

  it.each([
    ["a user's message of 300 characters", user("x".repeat(300)), "x".repeat(300)],
    ["one of 301", user("x".repeat(301)), `${"x".repeat(300)}...`],
    ["one of emoji", user("🙂".repeat(301)), `${"🙂".repeat(300)}...`],
    ["an answer of 200", assistant("y".repeat(200)), "y".repeat(200)],
    ["one of 201", assistant("y".repeat(201)), `${"y".repeat(200)}...`],
    ["one of three lines", assistant("1\n2\n3"), "1\n2\n3"],
    ["one of four", assistant("1\n2\n3\n4"), "1\n2\n3..."],
  ])("cuts long messages: %s", (_name, message, shown) => {
    const { entries } = recapOf(rows(user("before"), message, user("after"), assistant("last")), LIMITS);
    expect(entries.map(({ text }) => text)).toContain(shown);
  });

  it("shows the last answer in full", () => {
    const long = `${"z".repeat(500)}\n2\n3\n4\n5`;
    expect(textsOf(rows(user("Q"), assistant(long)))).toEqual(["● Q", `◆ ${long}`]);
  });

  it("keeps the last ten exchanges and counts the messages before", () => {
    const messages = rows(
      ...Array.from({ length: 12 }, (_, i) => [user(`q${i}`), assistant(`a${i}`)]).flat(),
    );
    const recap = recapOf(messages, LIMITS);
    expect(recap.earlier).toBe(4);
    expect(recap.entries).toHaveLength(20);
    expect(recap.entries[0]).toEqual({ from: "user", text: "q2" });
    expect(recapOf(messages.slice(0, 20), LIMITS).earlier).toBe(0);
    expect(recapOf(messages, { ...LIMITS, exchanges: 0 }).entries).toEqual([]);
  });

  it("is drawn dim in a panel, with coloured marks", () => {
    const recap = { earlier: 4, entries: recapOf(rows(user("Hello"), assistant("Hi!")), LIMITS).entries };
    expect(drawRecap(recap, { width: 40, colors: pc.createColors(false) })).toEqual([
      "╭─ Previous Conversation ──────────────╮",
      "│ ... 4 earlier messages ...           │",
      "│                                      │",
      "│ ● You: Hello                         │",
      "│                                      │",
      "│ ◆ Hermes: Hi!                        │",
      "╰──────────────────────────────────────╯",
    ]);
    const coloured = drawRecap(recap, { width: 40, colors: pc.createColors(true) }).join("\n");
    expect(coloured).toContain("\u001b[33m●\u001b[39m\u001b[2m You: Hello");
    expect(coloured).toContain("\u001b[32m◆\u001b[39m\u001b[2m Hermes: Hi!");
  });
});
