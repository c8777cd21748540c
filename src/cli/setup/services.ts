/** Services that serve models: their addresses and where to get a key. The provider is one of `model.provider`. */
import type { Config } from "../../config/schema.js";
import { withoutTrailing } from "../../trailing.js";
import type { ModelAnswer } from "./answers.js";

export interface Service {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly provider: ModelAnswer["provider"];
  /** Null: the provider's own. */
  readonly baseUrl: string | null;
  /** It runs on a machine of the user's, so its address is asked for, with `baseUrl` as the default. */
  readonly isOwn?: boolean;
  readonly key: "required" | "optional" | "none";
  /** Where keys are made. */
  readonly keyPage?: string;
  /** What to do if nothing answers. */
  readonly start?: string;
}

const compatible = { provider: "openai-compatible", key: "required" } as const;
const local = { provider: "openai-compatible", isOwn: true, key: "none", hint: "on your machine" } as const;

export const ECHO: Service = {
  id: "echo",
  label: "None yet",
  hint: "the echo agent repeats your messages",
  provider: "echo",
  baseUrl: null,
  key: "none",
};

export const OTHER: Service = {
  id: "other",
  label: "Another server",
  hint: "anything with an OpenAI-compatible API",
  provider: "openai-compatible",
  baseUrl: null,
  isOwn: true,
  key: "optional",
};

export const SERVICES: readonly Service[] = [
  {
    id: "openai",
    label: "OpenAI",
    provider: "openai",
    baseUrl: null,
    key: "required",
    keyPage: "https://platform.openai.com/api-keys",
  },
  {
    id: "anthropic",
    label: "Anthropic",
    provider: "anthropic",
    baseUrl: null,
    key: "required",
    keyPage: "https://console.anthropic.com/settings/keys",
  },
  {
    ...compatible,
    id: "openrouter",
    label: "OpenRouter",
    hint: "models of many vendors with one key",
    baseUrl: "https://openrouter.ai/api/v1",
    keyPage: "https://openrouter.ai/keys",
  },
  {
    ...compatible,
    id: "gemini",
    label: "Google Gemini",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyPage: "https://aistudio.google.com/apikey",
  },
  {
    ...compatible,
    id: "mistral",
    label: "Mistral",
    baseUrl: "https://api.mistral.ai/v1",
    keyPage: "https://console.mistral.ai/api-keys",
  },
  {
    ...compatible,
    id: "groq",
    label: "Groq",
    baseUrl: "https://api.groq.com/openai/v1",
    keyPage: "https://console.groq.com/keys",
  },
  {
    ...local,
    id: "ollama",
    label: "Ollama",
    baseUrl: "http://127.0.0.1:11434/v1",
    start: "Start it with `ollama serve`, and fetch a model with `ollama pull NAME`.",
  },
  {
    ...local,
    id: "lmstudio",
    label: "LM Studio",
    baseUrl: "http://127.0.0.1:1234/v1",
    start: "Start its server in LM Studio, in the Developer tab, and load a model.",
  },
  { ...local, id: "vllm", label: "vLLM", baseUrl: "http://127.0.0.1:8000/v1" },
  { ...local, id: "llamacpp", label: "llama.cpp", baseUrl: "http://127.0.0.1:8080/v1" },
  OTHER,
  ECHO,
];

/** Which of them the configuration uses now. */
export function serviceOf({ provider, base_url }: Pick<Config["model"], "provider" | "base_url">): Service {
  const address = base_url === null ? null : withoutTrailing(base_url, "/");
  const same = SERVICES.filter((service) => service.provider === provider);
  return same.find(({ baseUrl }) => baseUrl === address) ?? same.find(({ id }) => id === provider) ?? OTHER;
}
