/** Which configured models have no API key, or one that their service rejects. Costs no tokens. */
import type { Config } from "../config/schema.js";
import { connectionsOf } from "./connections.js";
import { type Connection, KEY_NAMES, modelName } from "./model/connection.js";

const TIMEOUT_MS = 10_000;

/** One sentence for each model that can't be used, with the fix. Services that can't be reached are left to `hermes doctor`. */
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
  // 403 may be a key that is good for answers and not for lists.
  if ((await listStatus(connection, signal)) !== 401) return undefined;
  return `${modelName(connection)} rejects the API key (HTTP 401). ${fix}`;
}

const ADDRESSES: Partial<Record<Connection["provider"], string>> = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
};

/** The list of models needs the key and generates nothing. Undefined when the service gives no answer. */
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
