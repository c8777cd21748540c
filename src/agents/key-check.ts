/** Finds configured models that can't answer: no API key, a rejected one, or a service that isn't there. Costs no tokens. */
import type { Config } from "../config/schema.js";
import { endpointsOf } from "./endpoints.js";
import { requestModels } from "./list-models.js";
import { KEY_NAMES, type ModelEndpoint, modelName } from "./model/endpoint.js";
import { unreachableReason } from "./unreachable.js";

const TIMEOUT_MS = 10_000;

/** One sentence with the fix per unusable model. */
export async function keyProblems(
  config: Pick<Config, "model" | "auxiliary">,
  signal: AbortSignal,
): Promise<string[]> {
  const endpoints = endpointsOf(config).map(({ endpoint }) => endpoint);
  const problems = await Promise.all(endpoints.map((endpoint) => keyProblem(endpoint, signal)));
  return problems.filter((problem) => problem !== undefined);
}

async function keyProblem(endpoint: ModelEndpoint, signal: AbortSignal): Promise<string | undefined> {
  const { provider, api_key: key, base_url: address } = endpoint;
  if (provider === "echo") return undefined;
  const fix = `Set ${KEY_NAMES[provider]} in .env.`;
  const mayGoWithout = provider === "openai-compatible" || address !== null;
  if (key === null && !mayGoWithout) return `${modelName(endpoint)} has no API key. ${fix}`;
  const listed = await listStatus(endpoint, signal);
  if (signal.aborted) return undefined;
  if (typeof listed === "string")
    return `${modelName(endpoint)} can't be reached: ${listed}. Start its server, or check model.base_url${address === null ? "" : ` (${address})`}.`;
  // 403: the key may allow completions but not listing models.
  if (listed !== 401) return undefined;
  return `${modelName(endpoint)} rejects the API key (HTTP 401). ${fix}`;
}

/** Listing models checks the key without generating tokens. A text: why the service can't be reached. */
async function listStatus(
  endpoint: ModelEndpoint,
  signal: AbortSignal,
): Promise<number | string | undefined> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await requestModels(endpoint, limit);
    await response?.body?.cancel();
    return response?.status;
  } catch (error) {
    return unreachableReason(error);
  }
}
