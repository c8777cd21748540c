import type { Random } from "../../bench/random.js";
import { DiscordEmulator } from "../emulators/discord/index.js";
import type { Channel, User } from "../emulators/discord/world.js";
import { sectionOf } from "../emulators/emulated.js";
import { Armed, type EndFault, type FaultKind, nothing, type Place, type Platform } from "./platform.js";

const DISCORD_EPOCH_MS = 1_420_070_400_000n;
/** Discord's few minutes, for a storm in which deaths are seconds apart: some restarts come too late for it. */
const NONCE_WINDOW_MS = 1000;
const SENDS = /^\/channels\/\d+\/messages$/;

export async function discord(): Promise<Platform> {
  const emulator = new DiscordEmulator({
    heartbeatMs: 500,
    messageLimit: { count: 100, perMs: 1000 },
    nonceWindowMs: NONCE_WINDOW_MS,
  });
  await emulator.start();
  const { faults, gateway } = emulator;
  const people = ["Ann", "Bob", "Cy"].map((name) => emulator.user(name));
  const guild = emulator.guild("Server");
  const channel = emulator.channel(guild, "general");
  const armed = new Armed();
  let unmet: Platform["unmet"] = {};
  let isDown = false;
  const mention = `<@${emulator.botId}> `;

  const seen = (where: Channel) => () =>
    emulator
      .said(where)
      .map(({ text, id }) => ({ text, atMs: Number((BigInt(id) >> 22n) + DISCORD_EPOCH_MS) }));
  const dm = (person: User): Place => {
    const where = emulator.dm(person);
    const name = `dm ${person.name}`;
    const say = (_: number, text: string) => {
      emulator.say(person, where, text);
      return name;
    };
    return { name, people: 1, say, seen: seen(where) };
  };
  const group = (): Place => {
    const say = (person: number, text: string) => {
      emulator.say(people[person]!, channel, mention + text);
      return `group ${people[person]!.name}`;
    };
    return { name: "group", people: people.length, say, seen: seen(channel) };
  };
  /** Once everybody has called the bot there, it listens to everything. */
  const thread = (): Place => {
    const where = emulator.thread(channel, "thread", people[0]!);
    let said = 0;
    const say = (person: number, text: string) => {
      emulator.say(people[person]!, where, said++ < people.length ? mention + text : text);
      return "thread";
    };
    return { name: "thread", people: people.length, say, seen: seen(where) };
  };

  /** The port is closed; sessions survive it. */
  async function outage(): Promise<EndFault> {
    if (isDown) return nothing;
    isDown = true;
    await emulator.close();
    return async () => {
      if (!isDown) return;
      await emulator.start();
      isDown = false;
    };
  }

  function disconnect(random: Random): void {
    const way = random.next();
    if (way < 0.5) gateway.cut();
    else if (way < 0.75) gateway.askToReconnect();
    else if (way < 0.85) gateway.invalidate(true);
    else {
      gateway.forgetSessions();
      gateway.cut();
    }
  }

  async function begin(kind: FaultKind, random: Random): Promise<EndFault> {
    switch (kind) {
      case "duplicate":
        faults.duplicateEvents = true;
        return () => {
          faults.duplicateEvents = false;
        };
      case "reorder":
        faults.reorderBy = Number.POSITIVE_INFINITY;
        return () => {
          faults.reorderBy = 0;
          gateway.release();
        };
      case "outage":
        return outage();
      case "disconnect":
        disconnect(random);
        return nothing;
      case "rate limit":
        faults.arm("POST", SENDS, {
          kind: "rate_limit",
          retryAfterSeconds: random.between(1, 8) / 10,
          global: random.chance(0.2),
        });
        return armed.add(kind);
      case "unknown send":
        faults.arm("POST", SENDS, { kind: "drop_after" });
        return armed.add(kind);
      case "failed send":
        faults.arm(
          "POST",
          SENDS,
          random.chance(0.5) ? { kind: "drop_before" } : { kind: "answer", status: 502, body: "Bad Gateway" },
        );
        return armed.add(kind);
    }
  }

  return {
    name: "discord",
    config: sectionOf("discord", emulator.settings),
    places: [dm(people[0]!), dm(people[1]!), group(), thread()],
    longChars: 7000,
    numbersEvents: false,
    begin,
    async calm() {
      unmet = armed.last(faults.armed);
      faults.clear();
      gateway.release();
      if (isDown) await emulator.start();
      isDown = false;
    },
    get unmet() {
      return unmet;
    },
    unansweredAtMs: () => [],
    close: () => emulator.close(),
  };
}
