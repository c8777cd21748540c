/** Finds configured models without an API key or with a rejected one. Costs no tokens. */
import type { Config } from "../config/schema.js";
import { connectionsOf } from "./connections.js";
import { requestModels } from "./list-models.js";
import { type Connection, KEY_NAMES, modelName } from "./model/connection.js";

const TIMEOUT_MS = 10_000;

/** One sentence with the fix per unusable model. Unreachable services are left to `hermes doctor`. */
export async function keyProblems(
  config: Pick<Config, "model" | "auxiliary">,
  signal: AbortSignal,
): Promise<string[]> {
  const connections = connectionsOf(config).map(({ connection }) => connection);
  const problems = await Promise.all(connections.map((connection) => keyProblem(connection, signal)));
  return problems.filter((problem) => problem !== undefined);
}

async function keyProblem(connection: Connection, signal: AbortSignal): Promise<string | undefined> {
  const { provider, api_key: key, base_url: address } = connection;
  if (provider === "echo") return undefined;
  const fix = `Set ${KEY_NAMES[provider]} in .env.`;
  const mayGoWithout = provider === "openai-compatible" || address !== null;
  if (key === null && !mayGoWithout) return `${modelName(connection)} has no API key. ${fix}`;
  // 403: the key may allow completions but not listing models.
  if ((await listStatus(connection, signal)) !== 401) return undefined;
  return `${modelName(connection)} rejects the API key (HTTP 401). ${fix}`;
}

/** Listing models checks the key without generating tokens. Undefined if the service doesn't answer. */
async function listStatus(connection: Connection, signal: AbortSignal): Promise<number | undefined> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await requestModels(connection, limit);
    await response?.body?.cancel();
    return response?.status;
  } catch {
    return undefined;
  }
}
