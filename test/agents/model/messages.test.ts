import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LOST_RESULT, toModelMessages } from "../../../src/agents/model/messages.js";
import type { ChatMessage } from "../../../src/session.js";
import { call } from "../support.js";

const user = (content: ChatMessage["content"]): ChatMessage => ({ role: "user", content });
const assistant = (content: ChatMessage["content"], ...calls: unknown[]): ChatMessage => ({
  role: "assistant",
  content,
  ...(calls.length > 0 ? { tool_calls: calls } : {}),
});
const result = (id: string, content: string): ChatMessage => ({ role: "tool", content, tool_call_id: id });

const toolCall = (id: string, name: string, input: unknown) => ({
  type: "tool-call",
  toolCallId: id,
  toolName: name,
  input,
});
const toolResult = (id: string, name: string, value: string) => ({
  type: "tool-result",
  toolCallId: id,
  toolName: name,
  output: { type: "text", value },
});

describe("texts", () => {
  it("stay as they are", () => {
    expect(toModelMessages([user("hi"), assistant("hello")])).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: "hello" },
    ]);
  });

  it("are dropped if empty, because providers reject them", () => {
    expect(toModelMessages([user(""), assistant(null), assistant("  "), user([]), user("x")])).toEqual([
      { role: "user", content: "x" },
    ]);
  });

  it("become notes in place if their role is system", () => {
    expect(toModelMessages([{ role: "system", content: "be brief" }])).toEqual([
      { role: "user", content: "[System note] be brief" },
    ]);
  });

  it("are dropped if their role is unknown", () => {
    expect(toModelMessages([{ role: "session_meta", content: "{}" }])).toEqual([]);
  });
});

describe("tool calls", () => {
  it("are followed by their results", () => {
    const messages = [
      assistant("Looking.", call("a", "find", '{"q":1}'), call("b", "find", "{}")),
      result("b", "two"),
      result("a", "one"),
      assistant("Found."),
    ];
    expect(toModelMessages(messages)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "text", text: "Looking." },
          toolCall("a", "find", { q: 1 }),
          toolCall("b", "find", {}),
        ],
      },
      { role: "tool", content: [toolResult("a", "find", "one"), toolResult("b", "find", "two")] },
      { role: "assistant", content: "Found." },
    ]);
  });

  it("get a placeholder if their result is missing", () => {
    expect(toModelMessages([assistant(null, call("a", "find", "{}")), user("well?")])).toEqual([
      { role: "assistant", content: [toolCall("a", "find", {})] },
      { role: "tool", content: [toolResult("a", "find", LOST_RESULT)] },
      { role: "user", content: "well?" },
    ]);
  });

  it("are followed by their result even if another message came between", () => {
    const messages = [assistant(null, call("a", "find", "{}")), user("hurry"), result("a", "one")];
    expect(toModelMessages(messages).map((message) => message.role)).toEqual(["assistant", "tool", "user"]);
    expect(toModelMessages(messages)[1]?.content).toEqual([toolResult("a", "find", "one")]);
  });

  it("can reuse an id", () => {
    const round = (text: string) => [assistant(null, call("call_0", "find", "{}")), result("call_0", text)];
    const contents = toModelMessages([...round("one"), ...round("two")]).map((message) => message.content);
    expect(contents[1]).toEqual([toolResult("call_0", "find", "one")]);
    expect(contents[3]).toEqual([toolResult("call_0", "find", "two")]);
  });

  it("wrap invalid JSON arguments in an object", () => {
    const [message] = toModelMessages([assistant(null, call("a", "find", '{"q":'))]);
    expect(message?.content).toEqual([toolCall("a", "find", { arguments: '{"q":' })]);
  });
});

describe("tool results", () => {
  it("are dropped without a call", () => {
    expect(toModelMessages([result("gone", "x"), user("hi")])).toEqual([{ role: "user", content: "hi" }]);
  });

  it("are deduplicated", () => {
    const messages = [assistant(null, call("a", "find", "{}")), result("a", "one"), result("a", "again")];
    expect(toModelMessages(messages)[1]?.content).toEqual([toolResult("a", "find", "one")]);
  });
});

describe("images", () => {
  const text = { type: "text", text: "look" };

  it.each([
    ["a data address", { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }, "AAAA"],
    ["a bare address", { type: "input_image", image_url: "data:image/png;base64,AAAA" }, "AAAA"],
    ["bytes", { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }, "AAAA"],
  ])("travel as %s", (_, part, image) => {
    expect(toModelMessages([user([text, part])])).toEqual([
      { role: "user", content: [text, { type: "image", image, mediaType: "image/png" }] },
    ]);
  });

  it("are passed as URLs", () => {
    const url = "https://example.org/a.png";
    expect(toModelMessages([user([{ type: "image_url", image_url: { url } }])])).toEqual([
      { role: "user", content: [{ type: "image", image: new URL(url) }] },
    ]);
  });

  it.each(["http://127.0.0.1/a.png", "file:///etc/passwd", "/etc/passwd"])(
    "are not fetched from %s",
    (url) => {
      expect(toModelMessages([user([{ type: "image_url", image_url: { url } }])])).toEqual([
        { role: "user", content: [{ type: "text", text: "[image]" }] },
      ]);
    },
  );
});

describe("any history", () => {
  const id = fc.constantFrom("a", "b", "c");
  const message: fc.Arbitrary<ChatMessage> = fc.oneof(
    fc.string().map(user),
    fc.array(id, { maxLength: 3 }).map((ids) => assistant("x", ...ids.map((i) => call(i, "find", "{}")))),
    id.map((i) => result(i, `result ${i}`)),
  );

  it("has exactly one result after every call, and no result without a call", () => {
    fc.assert(
      fc.property(fc.array(message), (history) => {
        const made = toModelMessages(history);
        for (const [i, { role, content }] of made.entries()) {
          const ids = (type: string, of: unknown) =>
            Array.isArray(of) ? of.filter((p) => p.type === type).map((p) => p.toolCallId) : [];
          if (role === "tool")
            expect(ids("tool-result", content)).toEqual(ids("tool-call", made[i - 1]?.content));
          if (ids("tool-call", content).length > 0) expect(made[i + 1]?.role).toBe("tool");
        }
      }),
    );
  });

  it("isn't modified", () => {
    fc.assert(
      fc.property(fc.array(message), (history) => {
        const before = structuredClone(history);
        toModelMessages(history);
        expect(history).toEqual(before);
      }),
    );
  });
});
