/** Lists every configured model. */
import type { Config } from "../config/schema.js";
import { endpointOf } from "./auxiliary.js";
import type { ModelEndpoint } from "./model/endpoint.js";

export interface NamedEndpoint {
  /** Configuration path: "model", "model.fallback.0", "auxiliary.memory". */
  name: string;
  endpoint: ModelEndpoint;
}

/** Every configured model, without duplicates. */
export function endpointsOf(config: Pick<Config, "model" | "auxiliary">): NamedEndpoint[] {
  const { fallback, ...main } = config.model;
  const all = [
    { name: "model", endpoint: main },
    ...fallback.map((endpoint, i) => ({ name: `model.fallback.${i}`, endpoint })),
    ...Object.entries(config.auxiliary).map(([task, settings]) => ({
      name: `auxiliary.${task}`,
      endpoint: endpointOf(settings, config.model),
    })),
  ].filter(({ name, endpoint }) => name === "model" || endpoint.default !== null);
  const known = new Set<string>();
  return all.filter(({ endpoint: { provider, base_url, api_key, default: model } }) => {
    const key = JSON.stringify([provider, base_url, api_key, model]);
    return !known.has(key) && known.add(key);
  });
}
