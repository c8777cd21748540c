import { BlueBubblesEmulator, type MacChat } from "../emulators/bluebubbles/index.js";
import type { Place, Platform } from "./platform.js";
import { webhookWeather } from "./webhooks.js";

const LIMITED = { kind: "reply", reply: { status: 429, headers: { "retry-after": "1" } } } as const;

export async function bluebubbles(): Promise<Platform> {
  const emulator = await new BlueBubblesEmulator().start();
  const { mac } = emulator;
  const people = ["+15551110001", "+15551110002", "cy@example.org"];
  const family = mac.group("chat83", "Family");

  const seen = (chat: MacChat) => () => emulator.said(chat).map(({ text, atMs }) => ({ text, atMs }));
  const dm = (address: string): Place => {
    const chat = mac.direct(address);
    const say = (_: number, text: string) => {
      emulator.say(chat, address, text);
      return address;
    };
    return { name: `dm ${address}`, people: 1, say, seen: seen(chat) };
  };
  const room = (): Place => {
    const say = (person: number, text: string) => {
      emulator.say(family, people[person]!, `Hermes, ${text}`);
      return `room ${people[person]!}`;
    };
    return { name: "room", people: people.length, say, seen: seen(family) };
  };

  return {
    name: "bluebubbles",
    config: `bluebubbles: {api_url: "${emulator.url}", password: "${emulator.password}", webhook_url: "http://gateway.example/bluebubbles-webhook", poll_seconds: 2}`,
    places: [...people.map(dm), room()],
    longChars: 9000,
    numbersEvents: false,
    ...webhookWeather(emulator, () => emulator.failSend(LIMITED)),
  };
}
