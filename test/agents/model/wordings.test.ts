import { describe, expect, it } from "vitest";
import { classify, retryAfterMs } from "../../../src/agents/model/failures.js";

/** What the SDK throws, as far as it is read. */
const thrown = (statusCode: number, message: string) =>
  Object.assign(new Error("Bad Request"), {
    statusCode,
    responseBody: JSON.stringify({ error: { message } }),
  });

describe("a context that is too long", () => {
  it.each([
    [
      400,
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    ],
    [400, "context_length_exceeded"],
    [400, "Your input exceeds the context window of this model. Please adjust your input and try again."],
    [400, "prompt is too long: 210000 tokens > 200000 maximum"],
    [400, "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"],
    [400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
    [400, "the request exceeds the available context size, try increasing it"],
    [500, "exceed_context_size_error"],
    [400, "This endpoint's maximum context length is 32768 tokens."],
    [400, "Please reduce the length of the messages or completion."],
    [400, "This model's maximum prompt length is 131072 but the request contains 140000 tokens."],
    [400, "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"],
    [400, "Input is too long for requested model."],
    [400, "The prompt is longer than the maximum model length of 4096"],
    [422, "`inputs` tokens + `max_new_tokens` must be <= 4096"],
    [400, "too many tokens: total number of tokens in the prompt cannot exceed 4081"],
    [400, "Prompt exceeds max length"],
    [400, "Range of input length should be [1, 30720]"],
    [400, "The number of tokens to keep from the initial prompt is greater than the context length"],
    [413, "Payload Too Large"],
    [429, "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000."],
  ])("is recognised: %s %s", (status, message) => {
    expect(classify(thrown(status, message)).kind).toBe("context_length");
  });

  it.each([
    [429, "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000.", "rate_limit"],
    [400, "max_tokens is too large: 200000. This model supports at most 16384 completion tokens", "refused"],
    [401, "Incorrect API key provided", "credentials"],
    [400, "Invalid value for temperature", "refused"],
    [400, "The response was filtered due to Azure OpenAI's content management policy", "content_filter"],
  ])("is not seen where there is none: %s %s", (status, message, kind) => {
    expect(classify(thrown(status, message)).kind).toBe(kind);
  });
});

describe("an error in mid-stream", () => {
  it.each([
    [{ type: "overloaded_error", message: "Overloaded" }, "network", true],
    [{ code: "rate_limit_exceeded", message: "slow down" }, "rate_limit", true],
    [{ code: "context_length_exceeded", message: "too much" }, "context_length", false],
    ["something odd", "other", false],
  ])("%j is %s", (error, kind, isPassing) => {
    expect(classify(error)).toMatchObject({ kind, isPassing });
  });
});

describe("retry-after", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  it.each([
    [{ "retry-after": "2" }, 2000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after-ms": "30", "retry-after": "2" }, 30],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:10 GMT" }, 10_000],
    [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])("%j means %s ms", (headers, ms) => {
    expect(retryAfterMs(headers, now)).toBe(ms);
  });
});
