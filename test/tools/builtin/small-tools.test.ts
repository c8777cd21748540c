import { describe, expect, it } from "vitest";
import { clarifyTool } from "../../../src/tools/builtin/clarify.js";
import { delegateTaskTool } from "../../../src/tools/builtin/delegate-task.js";
import { changedTodos, todoTool } from "../../../src/tools/builtin/todo.js";
import type { ToolQuestion } from "../../../src/tools/tool.js";
import { tempStore } from "../../support/temp.js";
import { use } from "../../support/tool-call.js";

describe("clarify", () => {
  const asked = async (args: object, answer?: { choiceId?: string; text: string }) => {
    const questions: ToolQuestion[] = [];
    const ask = async (question: ToolQuestion) => {
      questions.push(question);
      return answer;
    };
    return { result: await use(clarifyTool(), { ...args }, { ask }), question: questions[0] };
  };

  it("asks with up to four choices, and takes the person's own words too", async () => {
    const args = { question: "Which colour?", choices: ["red", "blue", "red", "green", "black", "white"] };
    const { result, question } = await asked(args, { choiceId: "2", text: "2" });
    expect(question).toEqual({
      text: "Which colour?",
      acceptsText: true,
      choices: ["red", "blue", "green", "black"].map((label, i) => ({ id: String(i + 1), label })),
    });
    expect(result).toMatchObject({ success: true, user_response: "blue" });
    expect((await asked(args, { text: "pink, please" })).result).toMatchObject({
      user_response: "pink, please",
    });
  });

  it("continues without an answer, and doesn't ask if no person is present", async () => {
    expect((await asked({ question: "Well?" })).result).toMatchObject({
      error: expect.stringContaining("no answer came in time"),
    });
    expect(await use(clarifyTool(), { question: "Well?" }, { unattended: true })).toMatchObject({
      success: false,
    });
    expect(await use(clarifyTool(), {})).toMatchObject({ error: "question is missing." });
  });
});

describe("todo", () => {
  const list = [
    { id: "1", content: "read", status: "completed" },
    { id: "2", content: "write", status: "in_progress" },
  ];

  async function setUp() {
    const { store } = await tempStore();
    await store.createSession({ id: "now", source: "test", user_id: "ann" });
    const reader = { getSession: store.getSession, getMessages: (id: string) => store.getMessages(id) };
    return { store, reader, tool: todoTool(reader) };
  }

  it("replaces or merges, and returns the whole list", async () => {
    const { tool } = await setUp();
    expect(await use(tool, {})).toMatchObject({ todos: [], summary: { total: 0 } });
    await use(tool, { todos: list });
    const merged = await use(tool, {
      merge: true,
      todos: [
        { id: "2", status: "completed" },
        { id: "3", content: "send" },
      ],
    });
    expect(merged).toMatchObject({
      todos: [list[0], { ...list[1], status: "completed" }, { id: "3", content: "send", status: "pending" }],
      summary: { total: 3, completed: 2, pending: 1 },
    });
    expect(await use(tool, { todos: [] })).toMatchObject({ todos: [] });
  });

  it("survives a restart and a compression by the history", async () => {
    const { store, reader, tool } = await setUp();
    const result = await use(tool, { todos: list });
    await store.appendMessages("now", [
      { role: "tool", content: JSON.stringify(result), tool_call_id: "c", tool_name: "todo" },
    ]);
    expect(await use(todoTool(reader), {})).toMatchObject({ todos: list });
    await store.splitSession({ parentId: "now", childId: "later" });
    const session = { id: "later", key: "key", source: "test" };
    expect(await use(todoTool(reader), {}, { session })).toMatchObject({ todos: list });
  });

  it("is separate for each session", async () => {
    const { store, tool } = await setUp();
    await store.createSession({ id: "other", source: "test", user_id: "bob" });
    await use(tool, { todos: list });
    const session = { id: "other", key: "key2", source: "test" };
    expect(await use(tool, {}, { session })).toMatchObject({ todos: [] });
  });

  it("ignores invalid entries", async () => {
    const { tool } = await setUp();
    expect(await use(tool, { todos: "buy milk" })).toMatchObject({ error: "todos must be a list." });
    expect(changedTodos([], [null, 3, { id: 1, content: "x", status: "odd" }, { id: "2" }], false)).toEqual([
      { id: "1", content: "x", status: "pending" },
    ]);
    const many = Array.from({ length: 150 }, (_, i) => ({ id: i, content: "x" }));
    expect(await use(tool, { todos: many })).toMatchObject({ success: false });
  });
});

describe("delegate_task", () => {
  it("passes the task and its call on, and returns the answer", async () => {
    const tool = delegateTaskTool(async ({ goal, context, toolsets, call }) =>
      [goal, context, toolsets?.join(), call.principal.userId].join("|"),
    );
    const args = { goal: "Find it", context: "It is red", toolsets: ["web"] };
    expect(await use(tool, args)).toEqual({ success: true, result: "Find it|It is red|web|ann" });
    expect(await use(tool, {})).toMatchObject({ error: "goal is missing." });
  });
});
