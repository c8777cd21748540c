/** Everything that the demo runs: the gateway as a process of its own, three emulated platforms, the web chat and a model. */
import type { ChatClient } from "../../test/emulators/clients/client.js";
import { discordClient } from "../../test/emulators/clients/discord.js";
import { slackClient } from "../../test/emulators/clients/slack.js";
import { telegramClient } from "../../test/emulators/clients/telegram.js";
import { webClient } from "../../test/emulators/clients/web.js";
import { DiscordEmulator } from "../../test/emulators/discord/index.js";
import { ModelServer } from "../../test/emulators/model-server.js";
import { SlackEmulator } from "../../test/emulators/slack/index.js";
import { TelegramEmulator } from "../../test/emulators/telegram/index.js";
import { atEnd } from "../../test/support/at-end.js";
import { Daemon, hermes } from "../../test/support/daemon.js";
import { Supervisor } from "../../test/support/supervisor.js";
import { until } from "../../test/support/until.js";
import { withApproval } from "./approving.js";
import { answerTo } from "./model.js";

const START_MS = 60_000;

export interface Stage {
  readonly clients: readonly ChatClient[];
  /** Ids of the chats that the tour visits. */
  readonly chats: { telegram: string; discord: string; channel: string; team: string; web: string };
  readonly daemon: Daemon;
  /** How often the gateway died. */
  deaths(): number;
  /** The gateway's state, for the page. */
  gateway(): { state: "up" | "down"; text: string };
  /** Runs a command of the program and returns its output. */
  hermes(...args: string[]): Promise<string>;
}

export interface StageOptions {
  /** Of the gateway. */
  port: number;
  /** 1: as fast as people read. */
  speed: number;
}

export async function startStage({ port, speed }: StageOptions): Promise<Stage> {
  const telegram = await new TelegramEmulator().start();
  const discord = new DiscordEmulator({ messageLimit: { count: 100, perMs: 1000 } });
  await discord.start();
  const slack = await new SlackEmulator().start();
  const model = await ModelServer.start({ otherwise: (request) => answerTo(request, speed) });
  atEnd(() => Promise.all([telegram.close(), discord.close(), slack.close(), model.close()]));

  const family = telegramClient(telegram, ["Ann", "Ben"], "Family");
  const makers = discordClient(discord, ["Ben", "Cleo"], "workshop");
  const team = slackClient(slack, ["Ann", "Cleo"], "launch");
  const cleo = makers.people[1]!;
  const config = {
    owners: [`discord:${cleo.id}`],
    model: { provider: "openai-compatible", base_url: model.url, default: "demo", api_key: "none" },
    session_reset: { mode: "none" },
    tools: { send_message: { ask: "always" } },
    platforms: {
      telegram: {
        ...telegram.settings,
        unauthorized_dm_behavior: "pair",
        require_mention: true,
        group_allowed_chats: [String(family.group.id)],
      },
      discord: { ...discord.settings, allow_all: true },
      slack: { ...slack.settings, allow_all: true, home_channel: team.channel.id },
    },
  };
  const daemon = new Daemon({ yaml: JSON.stringify(config), args: ["--port", String(port)] });
  const supervisor = new Supervisor(daemon);
  await daemon.run.ready;
  await until("the platforms are connected", () => daemon.isReady(), { timeoutMs: START_MS });
  const web = webClient(() => daemon.url, ["Ann", "Ben"]);
  const command = async (...args: string[]) => {
    const { code, stdout, stderr } = await hermes(daemon.home, args);
    if (code !== 0) throw new Error(`hermes ${args.join(" ")}: ${stderr || stdout}`);
    return stdout;
  };
  const approve = (platform: string, code: string) => command("pairing", "approve", platform, code);
  return {
    clients: [withApproval(family.client, approve), makers.client, team.client, web],
    chats: {
      telegram: String(family.people[0]!.id),
      discord: makers.direct[1]!.id,
      channel: makers.channel.id,
      team: team.channel.id,
      web: "Ann",
    },
    daemon,
    deaths: () => supervisor.endings.length,
    gateway: () => signOf(daemon),
    hermes: command,
  };
}

function signOf({ run, pid }: Daemon): { state: "up" | "down"; text: string } {
  if (run.isOver) return { state: "down", text: "gateway: killed" };
  return run.isReady
    ? { state: "up", text: `gateway: running (pid ${pid})` }
    : { state: "down", text: `gateway: starting (pid ${pid})` };
}
