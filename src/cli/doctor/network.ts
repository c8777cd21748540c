/** Everybody outside, asked at once: platforms about their bots, models for a word, a server for the time. */
import type { BotProbe } from "../../adapters/probe.js";
import type { Config } from "../../config/schema.js";
import { type Check, look } from "./report.js";

/** For one bot or model, whatever it is asked. */
const PATIENCE_MS = 40_000;

export async function checkPlatforms(config: Config, running: boolean): Promise<Check[]> {
  const { botProbes } = await import("../../adapters/probes.js");
  const checks = await Promise.all(botProbes(config).map((bot) => checkBot(bot, running)));
  return checks.flat();
}

function checkBot({ platform, name, probe }: BotProbe, running: boolean): Promise<Check[]> {
  const check = name === platform ? platform : `${platform}.${name}`;
  return look(check, async () => {
    const { findings } = await probe({ running, signal: AbortSignal.timeout(PATIENCE_MS) });
    return findings;
  });
}

export async function checkModels(config: Config): Promise<Check[]> {
  const { connectionsOf } = await import("../../agents/connections.js");
  const { probeModel } = await import("../../agents/probe.js");
  const checks = connectionsOf(config).map(({ name, connection }) =>
    look(name, () => probeModel(connection, AbortSignal.timeout(PATIENCE_MS))),
  );
  return (await Promise.all(checks)).flat();
}

/** Of somebody who is asked anyway. */
export function timeServer({ platforms: { telegram, discord, slack }, model }: Config): string | undefined {
  if (telegram.enabled) return telegram.api_root;
  if (discord.enabled) return discord.api_url;
  if (slack.enabled) return slack.api_url;
  return model.base_url ?? undefined;
}
