import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { restOf } from "../../../src/adapters/api-server/answer.js";
import { readChatRequest } from "../../../src/adapters/api-server/chat-request.js";
import { ApiError } from "../../../src/adapters/api-server/errors.js";
import { readResponsesRequest } from "../../../src/adapters/api-server/responses-request.js";

const chat = (messages: unknown, more: object = {}) => readChatRequest({ model: "m", messages, ...more });

function refusal(read: () => unknown): ApiError {
  try {
    read();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

describe("a parsed request", () => {
  it("has the entries after the assistant's last message", () => {
    const asked = chat([
      { role: "developer", content: "Be brief." },
      { role: "user", content: "one" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content: [{ type: "text", text: "result" }] },
      { role: "system", content: "Be kind." },
      { role: "user", content: "two" },
      { role: "user", content: "three" },
    ]);
    expect(asked).toMatchObject({
      instructions: "Be brief.\n\nBe kind.",
      history: [
        { role: "user", content: "one" },
        { role: "assistant", tool_calls: [{ id: "c" }] },
      ],
      results: [{ callId: "c", text: "result" }],
      text: "two\n\nthree",
    });
  });

  it("is the same in both APIs", () => {
    const fromChat = chat([
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
      { role: "user", content: "three" },
    ]);
    const { previousResponseId, ...fromResponses } = readResponsesRequest({
      model: "m",
      input: [
        { role: "user", content: "one" },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "two" }] },
        { type: "reasoning", summary: [] },
        { role: "user", content: [{ type: "input_text", text: "three" }] },
      ],
    });
    expect(previousResponseId).toBeNull();
    expect({ ...fromResponses, includeUsage: false }).toEqual(fromChat);
  });

  it.each([
    [{}, "messages"],
    [{ messages: [] }, "messages"],
    [{ messages: "hello" }, "messages"],
    [{ messages: [{ role: "robot", content: "x" }] }, "messages.0.role"],
    [{ messages: [{ role: "user", content: 5 }] }, "messages.0.content"],
    [{ messages: [{ role: "user", content: [{ type: "input_audio" }] }] }, "messages.0.content"],
    [
      {
        messages: [{ role: "user", content: "x" }],
        tools: [{ type: "function", function: { name: "a b" } }],
      },
      "tools.0.function.name",
    ],
    [{ messages: [{ role: "user", content: "x" }], n: 2 }, "n"],
    [
      { messages: [{ role: "user", content: "x" }], response_format: { type: "json_object" } },
      "response_format",
    ],
    [null, null],
    ["text", null],
  ])("is rejected as %j", (body, param) => {
    const error = refusal(() => readChatRequest(body));
    expect(error.status).toBe(400);
    expect(error.body.error).toMatchObject({ type: "invalid_request_error", param });
  });

  it("must end with something to answer", () => {
    expect(refusal(() => chat([{ role: "assistant", content: "I" }])).message).toMatch(/Nothing to answer/);
    expect(refusal(() => chat([{ role: "system", content: "Be." }])).message).toMatch(/Nothing to answer/);
    expect(refusal(() => chat([{ role: "user", content: "  " }])).message).toMatch(/Nothing to answer/);
  });

  it("has inline images only: URLs aren't fetched", () => {
    const picture = (url: string) => [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }];
    expect(chat(picture("data:image/png;base64,aGk=")).images).toEqual([
      { mimeType: "image/png", data: "aGk=" },
    ]);
    for (const url of ["http://169.254.169.254/latest", "file:///etc/passwd", "data:text/html;base64,aGk="])
      expect(refusal(() => chat(picture(url))).param).toBe("image_url");
  });

  it("never crashes the parser", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const body: unknown = JSON.parse(json);
        for (const read of [readChatRequest, readResponsesRequest]) {
          try {
            read(body);
          } catch (error) {
            expect(error).toBeInstanceOf(ApiError);
          }
        }
      }),
    );
  });
});

describe("the rest of a streamed answer", () => {
  it("continues the streamed text", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (shown, rest) => {
        expect(shown + restOf(shown, shown + rest)).toBe(shown + rest);
      }),
    );
  });

  it("is empty if all was streamed, and everything if other text was", () => {
    expect(restOf("Let me look. Found it.", "Found it.")).toBe("");
    expect(restOf("Something else", "The answer")).toBe("\n\nThe answer");
    expect(restOf("Calling a tool", "")).toBe("");
  });
});
