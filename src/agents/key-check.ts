/** Finds configured models without an API key or with a rejected one. Costs no tokens. */
import type { Config } from "../config/schema.js";
import { connectionsOf } from "./connections.js";
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

const ADDRESSES: Partial<Record<Connection["provider"], string>> = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
};

/** Listing models checks the key without generating tokens. Undefined if the service doesn't answer. */
async function listStatus(connection: Connection, signal: AbortSignal): Promise<number | undefined> {
  const address = connection.base_url ?? ADDRESSES[connection.provider];
  if (!address) return undefined;
  try {
    const response = await fetch(`${address.replace(/\/$/, "")}/models`, {
      headers: headersOf(connection),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}

function headersOf({ provider, api_key: key }: Connection): Record<string, string> {
  if (key === null) return {};
  if (provider === "anthropic") return { "x-api-key": key, "anthropic-version": "2023-06-01" };
  return { authorization: `Bearer ${key}` };
}
