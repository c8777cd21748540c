import { NUMBER, type Person, rateLimited, SignalEmulator } from "../emulators/signal/index.js";
import type { Place, Platform } from "./platform.js";
import { restWeather } from "./rest.js";

const GROUP = "Zm9v/YmFy=";
/** A message that was stored just before a crash is answered by then. */
const GONE_AFTER_MS = 5000;

export async function signal(): Promise<Platform> {
  const emulator = await new SignalEmulator({ keepAliveMs: 1000 }).start();
  const { server } = emulator;
  const people = ["Ann", "Ben", "Cy"].map((name) => emulator.person(name));
  const seen = (chat: string) => () =>
    emulator.said(chat).map(({ text, timestamp }) => ({ text, atMs: timestamp }));

  const dm = (person: Person): Place => {
    const name = `dm ${person.name}`;
    const say = (_: number, text: string) => {
      emulator.say(person, text);
      return name;
    };
    return { name, people: 1, say, seen: seen(person.number!) };
  };
  const group = (): Place => {
    const say = (person: number, text: string) => {
      emulator.say(people[person]!, text, GROUP);
      return `group ${people[person]!.name}`;
    };
    return { name: "group", people: people.length, say, seen: seen(GROUP) };
  };

  return {
    name: "signal",
    config: `signal: {account: "${NUMBER}", api_url: "${emulator.url}"}`,
    places: [...people.map(dm), group()],
    longChars: 18_000,
    numbersEvents: false,
    droppedTokens: () =>
      emulator.dropped
        .filter(({ atMs }) => performance.now() - atMs > GONE_AFTER_MS)
        .flatMap(({ text }) => text.match(/\bm\d+x\d+\b/g) ?? []),
    ...restWeather({
      server,
      start: () => emulator.start(),
      close: () => emulator.close(),
      sends: { method: "POST", path: /\/rpc\/send$/ },
      limited: rateLimited,
      duplicate: () => {
        emulator.duplicate = true;
        return () => {
          emulator.duplicate = false;
        };
      },
      reorder: () => {
        emulator.hold();
        return () => emulator.release();
      },
      disconnect: () => emulator.cut(),
    }),
  };
}
