/** Where a model is and how to reach it. The provider's SDK is loaded with the first request. */
import type { LanguageModel } from "ai";
import type { ModelConfig } from "../../config/schema.js";

export type ModelEndpoint = Omit<ModelConfig, "fallback" | "choices">;

/** Where each provider's key is set, in .env or the environment. */
export const KEY_NAMES: Readonly<Record<ModelEndpoint["provider"], string>> = {
  openai: "OPENAI_API_KEY",
  anthropic: "ANTHROPIC_API_KEY",
  "openai-compatible": "HERMES_MODEL_API_KEY",
  echo: "no key",
};

/** Display name: `gpt-5 (openai)`. */
export function modelName({ provider, default: model }: ModelEndpoint): string {
  return `${model ?? "the model"} (${provider})`;
}

/** Missing values fall back to the SDK's default URL and the environment's key. */
export async function openModel(endpoint: ModelEndpoint): Promise<LanguageModel> {
  const name = endpoint.default ?? "";
  const apiKey = endpoint.api_key === null ? {} : { apiKey: endpoint.api_key };
  const baseURL = endpoint.base_url === null ? {} : { baseURL: endpoint.base_url };
  switch (endpoint.provider) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ ...apiKey, ...baseURL })(name);
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      // Chat completions, not responses: the latter keep the conversation on the provider's side by default.
      return createOpenAI({ ...apiKey, ...baseURL }).chat(name);
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const address = endpoint.base_url ?? "";
      return createOpenAICompatible({ name: "model", baseURL: address, ...apiKey, includeUsage: true })(name);
    }
    default:
      throw new Error(`provider ${endpoint.provider} serves no model`);
  }
}

/** Loaded with the first request: it takes a quarter of a second. */
export async function loadSdk(): Promise<typeof import("ai")> {
  // The SDK would print its warnings (an unknown setting, a missing feature) between our log lines.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  return import("ai");
}
