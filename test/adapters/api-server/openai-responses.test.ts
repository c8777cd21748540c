import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forSeveral } from "../../support/at-end.js";
import { plain } from "../../support/gateway.js";
import { ApiGateway, KEYS } from "./support.js";

/** The Responses API, as the official client sees it. */

const TOOL: OpenAI.Responses.FunctionTool = {
  type: "function",
  name: "add",
  description: "Adds.",
  parameters: { type: "object", properties: {} },
  strict: false,
};

let gateway: ApiGateway;
let end: () => Promise<void>;
beforeAll(async () => {
  ({ made: gateway, end } = await forSeveral(() => ApiGateway.start()));
});
afterAll(() => end());

describe("responses", () => {
  it("answer, continue by their id, and can be read again with the same key only", async () => {
    const client = gateway.client();
    const first = await client.responses.create({
      model: "hermes",
      input: "hello",
      instructions: "Be kind.",
    });
    expect(first).toMatchObject({ object: "response", status: "completed", instructions: "Be kind." });
    expect(plain(first.output_text)).toBe("hello");
    expect(first.usage!.total_tokens).toBe(first.usage!.input_tokens + first.usage!.output_tokens);

    const { data: second, response } = await client.responses
      .create({
        model: "hermes",
        input: [{ role: "user", content: "again" }],
        previous_response_id: first.id,
      })
      .withResponse();
    expect(second.output_text).toBe("again");
    expect(second.previous_response_id).toBe(first.id);
    const session = response.headers.get("x-hermes-session-id")!;
    expect((await gateway.texts(session)).map(([role]) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
    ]);

    expect((await client.responses.retrieve(second.id)).output_text).toBe("again");
    const stranger = gateway.client(KEYS.phone);
    await expect(stranger.responses.retrieve(second.id)).rejects.toMatchObject({ status: 404 });
    await expect(
      stranger.responses.create({ model: "hermes", input: "me too", previous_response_id: second.id }),
    ).rejects.toMatchObject({ status: 404, code: "response_not_found" });
    await expect(client.responses.retrieve("resp_nonsense")).rejects.toMatchObject({ status: 404 });
  });

  it("come as events in order", async () => {
    const stream = gateway.client().responses.stream({ model: "hermes", input: "one two three four" });
    const types: string[] = [];
    const numbers: number[] = [];
    for await (const event of stream) {
      types.push(event.type);
      numbers.push(event.sequence_number);
    }
    expect(numbers).toEqual(numbers.map((_, i) => i));
    expect([...new Set(types)]).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    const final = await stream.finalResponse();
    expect(plain(final.output_text)).toBe("one two three four");
  });

  it("call the client's functions and take their output", async () => {
    const client = gateway.client();
    const called = await client.responses.create({
      model: "hermes",
      input: '!tool add {"a":1}',
      tools: [TOOL],
    });
    const call = called.output[0] as OpenAI.Responses.ResponseFunctionToolCall;
    expect(call).toMatchObject({ type: "function_call", name: "add", arguments: '{"a":1}' });
    const answer = await client.responses.create({
      model: "hermes",
      tools: [TOOL],
      previous_response_id: called.id,
      input: [{ type: "function_call_output", call_id: call.call_id, output: "it is 2" }],
    });
    expect(answer.output_text).toContain("it is 2");

    const stream = client.responses.stream({ model: "hermes", input: '!tool add {"a":2}', tools: [TOOL] });
    const final = await stream.finalResponse();
    expect(final.output).toMatchObject([{ type: "function_call", name: "add", arguments: '{"a":2}' }]);
  });

  it("report failures, also in the middle of a stream", async () => {
    const client = gateway.client();
    await expect(client.responses.create({ model: "hermes", input: "!fail timeout" })).rejects.toMatchObject({
      status: 504,
    });
    const events: string[] = [];
    const stream = await client.responses.create({ model: "hermes", input: "!fail timeout", stream: true });
    for await (const event of stream) events.push(event.type);
    expect(events.at(-1)).toBe("response.failed");
    await expect(
      client.responses.create({ model: "hermes", input: "x", tools: [{ type: "web_search" }] }),
    ).rejects.toMatchObject({ status: 400, code: "unsupported_parameter" });
  });
});
