/** Asks a model's service which models it has. Costs no tokens. */
import { withoutTrailing } from "../trailing.js";
import type { ModelEndpoint } from "./model/endpoint.js";

const ADDRESSES: Partial<Record<ModelEndpoint["provider"], string>> = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
};

export type ServiceAddress = Pick<ModelEndpoint, "provider" | "base_url" | "api_key">;

/** Undefined if it has no address, as the echo agent. Rejects if the service doesn't answer. */
export async function requestModels(
  { provider, base_url, api_key: key }: ServiceAddress,
  signal: AbortSignal,
): Promise<Response | undefined> {
  const address = base_url ?? ADDRESSES[provider];
  if (!address) return undefined;
  return fetch(`${withoutTrailing(address, "/")}/models`, { headers: headersOf(provider, key), signal });
}

/** Of the answer that OpenAI, Anthropic and compatible servers give. */
export async function modelNames(response: Response): Promise<string[]> {
  const { data } = (await response.json()) as { data?: { id?: unknown }[] };
  return (data ?? []).map(({ id }) => id).filter((id) => typeof id === "string");
}

function headersOf(provider: ModelEndpoint["provider"], key: string | null): Record<string, string> {
  if (key === null) return {};
  if (provider === "anthropic") return { "x-api-key": key, "anthropic-version": "2023-06-01" };
  return { authorization: `Bearer ${key}` };
}
