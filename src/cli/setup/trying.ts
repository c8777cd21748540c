/** Tries settings before they are written: a short question to the model, a probe of a platform's bot. */
import { botProbes } from "../../adapters/registry.js";
import { type ModelFinding, probeModel } from "../../agents/probe.js";
import { platformsOf } from "../../config/known-platforms.js";
import type { Config } from "../../config/schema.js";
import type { Finding } from "../../finding.js";

const MODEL_MS = 60_000;
const PLATFORM_MS = 40_000;

export function tryModel({ model: { fallback: _, ...endpoint } }: Config): Promise<ModelFinding> {
  return probeModel(endpoint, AbortSignal.timeout(MODEL_MS));
}

export async function tryPlatform(config: Config, name: string, home: string): Promise<Finding[]> {
  const probes = botProbes(platformsOf(config), config.platforms);
  const bot = probes.find((one) => one.platform === name && one.name === name);
  if (!bot) return [];
  // A gateway that runs on the old settings proves nothing about new ones.
  return (await bot.probe({ running: false, home, signal: AbortSignal.timeout(PLATFORM_MS) })).findings;
}
