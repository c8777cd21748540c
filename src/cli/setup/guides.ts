/** For each platform: where its tokens come from, what they are called, how people are named there. */
import type { PlatformName, SecretKey } from "./answers.js";

export interface Guide {
  title: string;
  /** How to get the tokens, step by step. */
  steps: readonly string[];
  secrets: readonly SecretGuide[];
  /** Where a person finds their own id. */
  ids: string;
}

export interface SecretGuide {
  key: SecretKey;
  name: string;
  variable: string;
  /** What every one of them looks like. */
  shape: RegExp;
  example: string;
}

export const GUIDES: Readonly<Record<PlatformName, Guide>> = {
  telegram: {
    title: "Telegram",
    steps: [
      "Open https://t.me/BotFather and send /newbot",
      'Give it a name, and a username that ends in "bot"',
      "Copy the token from its answer",
    ],
    secrets: [
      {
        key: "token",
        name: "Bot token",
        variable: "TELEGRAM_BOT_TOKEN",
        shape: /^\d+:\S+$/,
        example: "123456789:ABC…",
      },
    ],
    ids: "the numbers that https://t.me/userinfobot tells",
  },
  discord: {
    title: "Discord",
    steps: [
      "Open https://discord.com/developers/applications → New Application",
      "Bot → Privileged Gateway Intents → switch on Message Content Intent",
      "Bot → Reset Token, and copy it",
    ],
    secrets: [
      {
        key: "token",
        name: "Bot token",
        variable: "DISCORD_BOT_TOKEN",
        shape: /^[^\s.]+\.[^\s.]+\.\S+$/,
        example: "MTIz….GAbc12.…",
      },
    ],
    ids: "numbers: Settings → Advanced → Developer Mode, then right click on a person → Copy User ID",
  },
  slack: {
    title: "Slack",
    steps: [
      "Open https://api.slack.com/apps → Create New App → From a manifest",
      "Paste what `hermes setup --slack-manifest` prints (scopes, events, Socket Mode)",
      "Install App, and copy the Bot User OAuth Token (xoxb-…)",
      "Basic Information → App-Level Tokens → one with connections:write (xapp-…)",
    ],
    secrets: [
      {
        key: "token",
        name: "Bot User OAuth Token",
        variable: "SLACK_BOT_TOKEN",
        shape: /^xox[a-z]-\S+$/,
        example: "xoxb-…",
      },
      {
        key: "app_token",
        name: "App-level token",
        variable: "SLACK_APP_TOKEN",
        shape: /^xapp-\S+$/,
        example: "xapp-…",
      },
    ],
    ids: "U…: a person's profile → ⋮ → Copy member ID",
  },
};

/** Also one that only flags know: for events over HTTP instead of a socket. */
export const SIGNING_SECRET = "SLACK_SIGNING_SECRET";
