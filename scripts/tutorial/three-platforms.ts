/** A gateway on emulated Telegram, Discord and Slack, where Ann is a stranger first, and a page with the three clients. */
import { discordClient } from "../../test/emulators/clients/discord.js";
import { servePage } from "../../test/emulators/clients/server.js";
import { slackClient } from "../../test/emulators/clients/slack.js";
import { telegramClient } from "../../test/emulators/clients/telegram.js";
import { DiscordEmulator } from "../../test/emulators/discord/index.js";
import { ModelServer } from "../../test/emulators/model-server.js";
import { SlackEmulator } from "../../test/emulators/slack/index.js";
import { TelegramEmulator } from "../../test/emulators/telegram/index.js";
import { atEnd } from "../../test/support/at-end.js";
import { Daemon, hermes } from "../../test/support/daemon.js";
import { until } from "../../test/support/until.js";
import { Acting, type ClientName, type Place } from "../tour/acting.js";
import { answerTo } from "../tour/model.js";

const START_MS = 60_000;
const SPEED = 20;
const CODE = /pairing approve \w+ ([A-Z0-9]{8})/;

export interface Story {
  readonly url: string;
  /** The chats of the last picture, by client. */
  readonly shown: readonly (readonly [ClientName, string])[];
  writeAsStranger(): Promise<void>;
  pairAndAsk(): Promise<void>;
}

export async function threePlatforms(): Promise<Story> {
  const telegram = await new TelegramEmulator().start();
  const discord = new DiscordEmulator();
  await discord.start();
  const slack = await new SlackEmulator().start();
  const model = await ModelServer.start({ otherwise: (request) => answerTo(request, SPEED) });
  atEnd(() => Promise.all([telegram.close(), discord.close(), slack.close(), model.close()]));
  const family = telegramClient(telegram, ["Ann"], "Family");
  const makers = discordClient(discord, ["Ann"], "workshop");
  const team = slackClient(slack, ["Ann"], "launch");
  const daemon = await startDaemon(model, {
    telegram: telegram.settings,
    discord: discord.settings,
    slack: slack.settings,
  });
  const clients = [family.client, makers.client, team.client];
  const page = await servePage({ clients, title: "One agent on three platforms", port: 0 });
  atEnd(() => page.close());
  const acting = new Acting(clients);
  const direct: readonly Place[] = [
    { client: "telegram", chat: String(family.people[0]!.id) },
    { client: "discord", chat: makers.direct[0]!.id },
    { client: "slack", chat: team.direct[0]!.id },
  ];
  const pair = async (place: Place) => {
    const { text } = await acting.answer(place, CODE);
    await hermes(daemon.home, ["pairing", "approve", place.client, CODE.exec(text)![1]!]);
  };
  return {
    url: page.url,
    shown: [
      ["telegram", "Ann"],
      ["discord", "#workshop"],
      ["slack", "#launch"],
    ],
    writeAsStranger: async () => {
      for (const place of direct) await acting.say(place, "Ann", "Hello!");
      for (const place of direct) await acting.answer(place, CODE);
    },
    pairAndAsk: async () => {
      for (const place of direct) await pair(place);
      await acting.ask(direct[0]!, "Ann", "Hello again!", /one agent on every chat/);
      await acting.ask(direct[0]!, "Ann", "Compare a tent and a cabin", /cabin in October/);
      const workshop: Place = { client: "discord", chat: makers.channel.id };
      await acting.ask(workshop, "Ann", "@hermes a plan for the weekend, please", /cp\.pt/);
      const launch: Place = { client: "slack", chat: team.channel.id };
      await acting.ask(launch, "Ann", "@hermes when is the launch?", /Thursday/);
    },
  };
}

async function startDaemon(model: ModelServer, platforms: Record<string, object>): Promise<Daemon> {
  const yaml = JSON.stringify({
    model: { provider: "openai-compatible", base_url: model.url, default: "demo", api_key: "none" },
    platforms,
  });
  const daemon = await new Daemon({ yaml }).start();
  await until("the platforms are connected", () => daemon.isReady(), { timeoutMs: START_MS });
  return daemon;
}
