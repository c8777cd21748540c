import { HomeAssistantEmulator, rateLimited, TOKEN } from "../emulators/homeassistant/index.js";
import type { Platform } from "./platform.js";
import { restWeather } from "./rest.js";

/** Each message is the state of another entity: of several changes of one, only the last is found after a crash. */
const ENTITIES = 2000;

export async function homeassistant(): Promise<Platform> {
  const emulator = await new HomeAssistantEmulator().start();
  for (let i = 0; i < ENTITIES; i++) emulator.set(`input_text.t${i}`, "idle");
  let said = 0;
  return {
    name: "homeassistant",
    config: `homeassistant: {token: "${TOKEN}", api_url: "${emulator.url}", watch_domains: [input_text]}`,
    places: [
      {
        name: "house",
        people: 1,
        say: (_, text) => {
          emulator.set(`input_text.t${said++}`, text);
          return "house";
        },
        seen: () => [...emulator.notifications.values()],
      },
    ],
    // A state has at most 255 characters, and the token comes last.
    longChars: 240,
    numbersEvents: false,
    ...restWeather({
      server: emulator.server,
      start: () => emulator.start(),
      close: () => emulator.close(),
      sends: { method: "POST", path: /\/services\/persistent_notification\/create$/ },
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
