import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forSeveral } from "../../support/at-end.js";
import { plain } from "../../support/gateway.js";
import { until } from "../../support/until.js";
import { ApiGateway, configWith, KEYS, user } from "./support.js";

/** Chat completions, as the official client sees them. */

const WEATHER: OpenAI.ChatCompletionTool = {
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

let gateway: ApiGateway;
let end: () => Promise<void>;
beforeAll(async () => {
  ({ made: gateway, end } = await forSeveral(() => ApiGateway.start()));
});
afterAll(() => end());

describe("chat completions", () => {
  it("answer at once, with usage, and name their session", async () => {
    const { data, response } = await gateway
      .client()
      .chat.completions.create({ model: "hermes", messages: [user("hello")] })
      .withResponse();
    expect(data).toMatchObject({
      object: "chat.completion",
      model: "echo",
      choices: [{ finish_reason: "stop" }],
    });
    expect(plain(data.choices[0]!.message.content!)).toBe("hello");
    expect(data.usage!.total_tokens).toBe(data.usage!.prompt_tokens + data.usage!.completion_tokens);
    expect(data.usage!.prompt_tokens).toBeGreaterThan(0);
    const sessionId = response.headers.get("x-hermes-session-id")!;
    expect(await gateway.store.getSession(sessionId)).toMatchObject({
      source: "api_server",
      user_id: "laptop",
    });
    expect(await gateway.texts(sessionId)).toMatchObject([
      ["user", "hello"],
      ["assistant", expect.any(String)],
    ]);
  });

  it("are streamed, with usage on request", async () => {
    const stream = await gateway.client().chat.completions.create({
      model: "hermes",
      messages: [user("!drip 20 one two three four five six seven eight")],
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const words = chunks.flatMap((chunk) => chunk.choices[0]?.delta.content ?? []);
    expect(words.filter((word) => word !== "").length).toBeGreaterThan(1);
    expect(plain(words.join(""))).toBe("one two three four five six seven eight");
    expect(chunks.filter((chunk) => chunk.choices[0]?.finish_reason === "stop")).toHaveLength(1);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: expect.any(Number) } });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  it("call the client's tools and take their results, whole and streamed", async () => {
    const client = gateway.client(KEYS.laptop, { "X-Hermes-Session-Key": "tools" });
    const ask = { model: "hermes", tools: [WEATHER] };
    const question = user('!tool get_weather {"city":"Rome"}');
    const called = await client.chat.completions.create({ ...ask, messages: [question] });
    const { finish_reason, message } = called.choices[0]!;
    expect(finish_reason).toBe("tool_calls");
    expect(message.content).toBeNull();
    expect(message.tool_calls).toMatchObject([
      { type: "function", function: { name: "get_weather", arguments: '{"city":"Rome"}' } },
    ]);
    const result = { role: "tool" as const, tool_call_id: message.tool_calls![0]!.id, content: "sunny" };
    const answer = await client.chat.completions.create({ ...ask, messages: [question, message, result] });
    expect(answer.choices[0]!.message.content).toContain("sunny");

    const streamed = client.chat.completions.stream({ ...ask, messages: [question] });
    const final = await streamed.finalChatCompletion();
    expect(final.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { tool_calls: [{ function: { name: "get_weather", arguments: '{"city":"Rome"}' } }] },
    });
  });

  it("import the client's history into a new session, and system messages into the prompt", async () => {
    const { data, response } = await gateway
      .client()
      .chat.completions.create({
        model: "hermes",
        messages: [
          { role: "system", content: "Be brief." },
          user("first"),
          { role: "assistant", content: "I heard first" },
          { role: "user", content: [{ type: "text", text: "second" }] },
        ],
      })
      .withResponse();
    expect(data.choices[0]!.message.content).toBe("second");
    expect(await gateway.texts(response.headers.get("x-hermes-session-id")!)).toEqual([
      ["user", "first"],
      ["assistant", "I heard first"],
      ["user", "second"],
      ["assistant", "second"],
    ]);
  });

  it("pass inline images to the model", async () => {
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const answer = await gateway.client().chat.completions.create({
      model: "hermes",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "what is this?" },
            { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
          ],
        },
      ],
    });
    expect(answer.choices[0]!.message.content).toContain("(1 picture seen)");
  });

  it("understand slash commands, as every chat does", async () => {
    const client = gateway.client(KEYS.laptop, { "X-Hermes-Session-Key": "k" });
    const say = async (text: string) =>
      (await client.chat.completions.create({ model: "hermes", messages: [user(text)] })).choices[0]!.message
        .content!;
    await say("hello");
    expect(await say("/new Plans")).toContain("Plans");
    expect(await say("/status")).toContain("Plans");
  });

  it("answer each of many requests to one session, in turn", async () => {
    const client = gateway.client(KEYS.laptop, { "X-Hermes-Session-Key": "busy" });
    const texts = Array.from({ length: 8 }, (_, i) => `!slow 20 n${i}`);
    const answers = await Promise.all(
      texts.map((text) => client.chat.completions.create({ model: "hermes", messages: [user(text)] })),
    );
    expect(answers.map(({ choices }) => plain(choices[0]!.message.content!))).toEqual(
      texts.map((text) => text.slice("!slow 20 ".length)),
    );
  });

  it("continue when the client leaves: the answer is in the history", async () => {
    const client = gateway.client(KEYS.laptop, { "X-Hermes-Session-Key": "left" });
    const stream = await client.chat.completions.create({
      model: "hermes",
      messages: [user("!drip 30 one two three four five six seven eight nine ten eleven twelve")],
      stream: true,
    });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    stream.controller.abort();
    const key = "agent:main:api_server:dm:laptop:left";
    const last = await until("the answer is stored", async () => {
      const route = await gateway.store.getRoute(key);
      return route && (await gateway.texts(route.sessionId)).at(-1);
    });
    expect(last).toEqual(["assistant", expect.stringMatching(/eleven twelve$/)]);
  });

  it("report failures like OpenAI", async () => {
    const client = gateway.client();
    const fail = (text: string, stream = false) =>
      client.chat.completions
        .create({ model: "hermes", messages: [user(text)], stream })
        .then(async (result) => {
          for await (const _ of result as AsyncIterable<unknown>);
        })
        .catch((error: unknown) => error);
    const limited = await fail("!fail rate_limit");
    expect(limited).toBeInstanceOf(OpenAI.RateLimitError);
    expect(limited).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
    expect(await fail("!fail context_length")).toMatchObject({
      status: 400,
      code: "context_length_exceeded",
    });
    expect(await fail("!fail other")).toMatchObject({ status: 500 });
    expect(await fail("!fail credentials")).toMatchObject({
      status: 503,
      code: "model_credentials_rejected",
    });
    expect(await fail("!fail refused")).toMatchObject({ status: 502, code: "model_rejected_request" });
    expect(await fail("!fail content_filter")).toMatchObject({ status: 400, code: "content_filter" });
    expect(await fail("!fail rate_limit", true)).toMatchObject({ code: "rate_limit_exceeded" });
  });

  it("are offered under the models' names", async () => {
    const offering = await ApiGateway.start(configWith("models: [fast-one]"));
    const names: string[] = [];
    for await (const model of offering.client().models.list()) names.push(model.id);
    expect(names).toEqual(["hermes", "echo", "fast-one"]);
    expect(await offering.client().models.retrieve("echo")).toMatchObject({ id: "echo", object: "model" });
    await expect(offering.client().models.retrieve("nope")).rejects.toMatchObject({ status: 404 });
  });
});
