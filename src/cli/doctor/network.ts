/** Network checks, in parallel: platforms, models, the clock. */
import type { BotProbe, HomeProbeOptions } from "../../adapters/probe.js";
import { platformsOf } from "../../config/known-platforms.js";
import type { Config } from "../../config/schema.js";
import { platformConfig } from "../../rules.js";
import { type Check, look } from "./report.js";

/** Timeout of all requests to one bot or model. */
const PATIENCE_MS = 40_000;

export async function checkPlatforms(
  config: Config,
  where: Pick<HomeProbeOptions, "running" | "home">,
): Promise<Check[]> {
  const { botProbes } = await import("../../adapters/registry.js");
  const probes = botProbes(platformsOf(config), config.platforms);
  const checks = await Promise.all(probes.map((bot) => checkBot(bot, where)));
  return checks.flat();
}

function checkBot(
  { platform, name, probe }: BotProbe,
  where: Pick<HomeProbeOptions, "running" | "home">,
): Promise<Check[]> {
  const check = name === platform ? platform : `${platform}.${name}`;
  return look(check, async () => {
    const { findings } = await probe({ ...where, signal: AbortSignal.timeout(PATIENCE_MS) });
    return findings;
  });
}

export async function checkModels(config: Config): Promise<Check[]> {
  const { endpointsOf } = await import("../../agents/endpoints.js");
  const { probeModel } = await import("../../agents/probe.js");
  const asked = endpointsOf(config).filter(({ endpoint }) => endpoint.provider !== "echo");
  const checks = asked.map(({ name, endpoint }) =>
    look(name, () => probeModel(endpoint, AbortSignal.timeout(PATIENCE_MS))),
  );
  return (await Promise.all(checks)).flat();
}

/** A server that is contacted anyway: the first enabled platform's, or the model's. */
export function timeServer(config: Config): string | undefined {
  for (const platform of platformsOf(config)) {
    const settings = platformConfig(config, platform.name);
    const address = settings?.enabled ? platform.apiAddress?.(settings) : undefined;
    if (address) return address;
  }
  return config.model.base_url ?? undefined;
}
