/** Lists every configured model. */
import type { Config } from "../config/schema.js";
import { connectionOf } from "./auxiliary.js";
import type { ModelEndpoint } from "./model/endpoint.js";

export interface NamedEndpoint {
  /** Configuration path: "model", "model.fallback.0", "auxiliary.memory". */
  name: string;
  connection: ModelEndpoint;
}

/** Every configured model, without duplicates. */
export function connectionsOf(config: Pick<Config, "model" | "auxiliary">): NamedEndpoint[] {
  const { fallback, ...main } = config.model;
  const all = [
    { name: "model", connection: main },
    ...fallback.map((connection, i) => ({ name: `model.fallback.${i}`, connection })),
    ...Object.entries(config.auxiliary).map(([task, settings]) => ({
      name: `auxiliary.${task}`,
      connection: connectionOf(settings, config.model),
    })),
  ].filter(({ name, connection }) => name === "model" || connection.default !== null);
  const known = new Set<string>();
  return all.filter(({ connection: { provider, base_url, api_key, default: model } }) => {
    const key = JSON.stringify([provider, base_url, api_key, model]);
    return !known.has(key) && known.add(key);
  });
}
