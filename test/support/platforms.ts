import { onTestFinished } from "vitest";
import { DiscordEmulator } from "../emulators/discord/index.js";
import { SlackEmulator } from "../emulators/slack/index.js";
import { TelegramEmulator } from "../emulators/telegram/index.js";

export interface Platforms {
  telegram: TelegramEmulator;
  discord: DiscordEmulator;
  slack: SlackEmulator;
}

/** The three platforms on loopback; Slack with the direct message D1 of U1. */
export async function startPlatforms(): Promise<Platforms> {
  const telegram = await new TelegramEmulator().start();
  const discord = new DiscordEmulator({ heartbeatMs: 500 });
  await discord.start();
  const slack = await new SlackEmulator().start();
  slack.room("D1", "im", ["U1"]);
  onTestFinished(() => Promise.all([telegram.close(), discord.close(), slack.close()]).then(() => undefined));
  return { telegram, discord, slack };
}

/** `more`: further keys of a platform, as YAML after a comma. */
export function platformsYaml(
  { telegram, discord, slack }: Platforms,
  more: { telegram?: string; discord?: string; slack?: string } = {},
): string {
  const also = (keys: string | undefined) => (keys ? `, ${keys}` : "");
  return `
session_reset: {mode: none}
streaming: {enabled: false}
allow_all: true
platforms:
  telegram: {token: "${telegram.token}", api_root: "${telegram.url}"${also(more.telegram)}}
  discord: {token: "${discord.token}", api_url: "${discord.apiUrl}"${also(more.discord)}}
  slack: {token: "${slack.botToken}", app_token: "${slack.appToken}", api_url: "${slack.apiUrl}", dm_top_level_threads_as_sessions: false${also(more.slack)}}
`;
}
