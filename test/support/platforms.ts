import { onTestFinished } from "vitest";
import { DiscordEmulator } from "../emulators/discord/index.js";
import { SlackEmulator } from "../emulators/slack/index.js";
import { TelegramEmulator } from "../emulators/telegram/index.js";
import { until } from "./until.js";

export type PlatformName = "telegram" | "discord" | "slack";

export const PLATFORMS: readonly PlatformName[] = ["telegram", "discord", "slack"];

export interface Platforms {
  telegram: TelegramEmulator;
  discord: DiscordEmulator;
  slack: SlackEmulator;
}

/** The three platforms on loopback; Slack with the direct message D1 of U1. */
export async function startPlatforms(): Promise<Platforms> {
  const telegram = await new TelegramEmulator().start();
  const discord = new DiscordEmulator({ heartbeatMs: 500, messageLimit: { count: 100, perMs: 1000 } });
  await discord.start();
  const slack = await new SlackEmulator().start();
  slack.room("D1", "im", ["U1"]);
  onTestFinished(() => Promise.all([telegram.close(), discord.close(), slack.close()]).then(() => undefined));
  return { telegram, discord, slack };
}

/** A daemon doesn't wait for platforms when it starts, and Discord drops events from before the bot's first connect. */
export async function allConnected(
  { telegram, discord, slack }: Platforms,
  only: readonly PlatformName[] = PLATFORMS,
): Promise<void> {
  const isUp = {
    telegram: () => telegram.updates.isPolled,
    discord: () => discord.gateway.connected,
    slack: () => slack.sockets.count > 0,
  };
  const areUp = () => only.every((platform) => isUp[platform]());
  await until("all platforms are connected", areUp, { timeoutMs: 30_000 });
}

/** `more`: further keys of a platform, as YAML after a comma; `top`: lines of their own; `only`: fewer start faster. */
export function platformsYaml(
  { telegram, discord, slack }: Platforms,
  more: {
    telegram?: string;
    discord?: string;
    slack?: string;
    top?: string;
    only?: readonly PlatformName[];
  } = {},
): string {
  const also = (keys: string | undefined) => (keys ? `, ${keys}` : "");
  const inOneThread = more.slack?.includes("dm_top_level") ? "" : "dm_top_level_threads_as_sessions: false";
  const keys = {
    telegram: `token: "${telegram.token}", api_root: "${telegram.url}"${also(more.telegram ?? "group_messages_per_minute: 0")}`,
    discord: `token: "${discord.token}", api_url: "${discord.apiUrl}"${also(more.discord)}`,
    slack: `token: "${slack.botToken}", app_token: "${slack.appToken}", api_url: "${slack.apiUrl}"${also(inOneThread)}${also(more.slack)}`,
  };
  return `
${more.top?.includes("session_reset") ? "" : "session_reset: {mode: none}"}
streaming: {enabled: false}
allow_all: true
${more.top ?? ""}
platforms:
${(more.only ?? PLATFORMS).map((platform) => `  ${platform}: {${keys[platform]}}`).join("\n")}
`;
}
