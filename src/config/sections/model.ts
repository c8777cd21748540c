/** The model, its fallbacks, the models for side work, and the limits of a turn. */

import { z } from "zod";
import { backend } from "./agents.js";
import { httpUrl, listOf, orNull, sample, seconds, text } from "./scalars.js";

const PROVIDERS = ["openai-compatible", "openai", "anthropic", "echo"] as const;

const SERVER = "http://127.0.0.1:11434/v1";

const endpoint = {
  default: sample(orNull(text).describe("Model name; required by every provider except echo"), "gpt-5-mini"),
  provider: z
    .enum(PROVIDERS)
    .default("echo")
    .describe("Provider; echo repeats your messages and needs no key"),
  base_url: sample(orNull(httpUrl).describe("Address of the API; openai-compatible needs one"), SERVER),
  api_key: orNull(text).describe(
    "Key of the API; better in .env (HERMES_MODEL_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY)",
  ),
  context_length: sample(
    orNull(z.int().positive()).describe(
      "Size of the context window in tokens; unset: as known for the model",
    ),
    "128000",
  ),
  timeout: seconds.default(300).describe("Seconds without output from the model until a request fails"),
  cost: z
    .strictObject({
      input: sample(orNull(z.number().min(0)).describe("US dollars per million input tokens"), "0.25"),
      output: sample(orNull(z.number().min(0)).describe("US dollars per million output tokens"), "2"),
    })
    .prefault({})
    .describe("Prices, for insights"),
};

export const model = z.strictObject({
  ...endpoint,
  choices: sample(
    listOf(text).describe("Models of this provider that /model offers to choose from"),
    "[gpt-5-mini, gpt-5]",
  ),
  fallback: sample(
    z
      .array(z.strictObject(endpoint))
      .prefault([])
      .describe("Models to try in turn when this one fails; each has the keys of `model`"),
    `- provider: openai-compatible\n  default: llama3.2\n  base_url: ${SERVER}`,
  ),
});

function task(timeout: number) {
  return z
    .strictObject({
      provider: sample(orNull(z.enum(PROVIDERS)).describe("Unset: the main model's provider"), "openai"),
      model: sample(orNull(text).describe("Unset: the main model"), "gpt-5-nano"),
      base_url: sample(orNull(httpUrl).describe("Unset: the main model's address"), SERVER),
      api_key: orNull(text).describe("Unset: the main model's key"),
      timeout: seconds.default(timeout).describe("Seconds until the task gives up"),
    })
    .prefault({});
}

export const auxiliary = z.strictObject({
  compression: task(120).describe("Writes the summary of a long session"),
  title_generation: task(30).describe("Names a session after its first exchange"),
  memory: task(60).describe("Keeps what is worth remembering when a session ends"),
});

export const agent = z.strictObject({
  backend: backend
    .default("model")
    .describe(
      "Who answers: model, acp (a program, section acp) or http (an own service, section agent_service)",
    ),
  max_turns: z.int().positive().default(90).describe("Model calls within one turn, tool rounds included"),
  max_turn_seconds: z.number().min(0).default(0).describe("Maximum seconds per turn; 0 = no limit"),
  max_turn_cost_usd: z
    .number()
    .min(0)
    .default(0)
    .describe("US dollars after which a turn makes no more calls; needs model.cost; 0 = no limit"),
  gateway_timeout: z
    .number()
    .min(0)
    .default(1800)
    .describe("Seconds without progress until a turn is abandoned; 0 = never"),
  restart_drain_timeout: z
    .number()
    .min(0)
    .default(10)
    .describe("Seconds that running turns get at shutdown; interrupted ones run again after the start"),
  disabled_toolsets: listOf(text).describe("Toolsets that no chat gets, whatever platform_toolsets says"),
  system_prompt: sample(
    orNull(text).describe("Instructions for the agent at the start of every session"),
    "You are a helpful assistant.",
  ),
});
