/** Settings, tried as they would be: a word from the model, what a platform says of its bot. */
import { botProbes } from "../../adapters/probes.js";
import { probeModel } from "../../agents/probe.js";
import type { Config } from "../../config/schema.js";
import type { Finding } from "../../finding.js";
import type { PlatformName } from "./answers.js";

const MODEL_MS = 60_000;
const PLATFORM_MS = 40_000;

export function tryModel({ model: { fallback: _, ...connection } }: Config): Promise<Finding> {
  return probeModel(connection, AbortSignal.timeout(MODEL_MS));
}

export async function tryPlatform(config: Config, name: PlatformName): Promise<Finding[]> {
  const bot = botProbes(config).find((one) => one.platform === name && one.name === name);
  if (!bot) return [];
  // What a gateway that runs on the old settings does is no proof for new ones.
  return (await bot.probe({ running: false, signal: AbortSignal.timeout(PLATFORM_MS) })).findings;
}
