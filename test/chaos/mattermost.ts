import { sectionOf } from "../emulators/emulated.js";
import { type Channel, MattermostEmulator, type User } from "../emulators/mattermost/index.js";
import type { Place, Platform } from "./platform.js";
import { restWeather } from "./rest.js";

/** The server's half minute, for a storm in which deaths are seconds apart: some restarts come too late for it. */
const PENDING_MS = 1000;

export async function mattermost(): Promise<Platform> {
  const emulator = await new MattermostEmulator({ pendingMs: PENDING_MS }).start();
  const { world, sockets, server } = emulator;
  const people = ["ann", "bob", "cy"].map((name) => world.user(name));
  const town = world.channel("O", "Town Square", people);
  const secrets = world.channel("P", "Secrets", people);
  const root = world.post(secrets, people[0]!, "Let us talk here");

  const seen = (channel: Channel) => () =>
    emulator.said(channel).map(({ message, create_at }) => ({ text: message, atMs: create_at }));
  const dm = (person: User): Place => {
    const channel = emulator.dm(person);
    const name = `dm ${person.username}`;
    const say = (_: number, text: string) => {
      emulator.say(channel, person, text);
      return name;
    };
    return { name, people: 1, say, seen: seen(channel) };
  };
  const room = (): Place => {
    const say = (person: number, text: string) => {
      emulator.say(town, people[person]!, `@hermes ${text}`);
      return `room ${people[person]!.username}`;
    };
    return { name: "room", people: people.length, say, seen: seen(town) };
  };
  /** Once everybody has called the bot there, it listens to everything. */
  const thread = (): Place => {
    let said = 0;
    const say = (person: number, text: string) => {
      const words = said++ < people.length ? `@hermes ${text}` : text;
      emulator.say(secrets, people[person]!, words, { root_id: root.id });
      return "thread";
    };
    return { name: "thread", people: people.length, say, seen: seen(secrets) };
  };

  return {
    name: "mattermost",
    config: sectionOf("mattermost", emulator.settings),
    places: [dm(people[0]!), dm(people[1]!), room(), thread()],
    longChars: 14_000,
    numbersEvents: false,
    ...restWeather({
      server,
      start: () => emulator.start(),
      close: () => emulator.close(),
      sends: { method: "POST", path: /\/api\/v4\/posts$/ },
      limited: (seconds) => ({
        status: 429,
        body: { message: "limit exceeded" },
        headers: { "x-ratelimit-reset": String(seconds) },
      }),
      duplicate: () => {
        sockets.duplicate = true;
        return () => {
          sockets.duplicate = false;
        };
      },
      reorder: () => {
        sockets.hold();
        return () => sockets.release();
      },
      disconnect: (random) => (random.chance(0.7) ? sockets.cut() : sockets.skip()),
    }),
  };
}
