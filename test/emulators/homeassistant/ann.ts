import { bothSides, type Emulated } from "../emulated.js";
import { HomeAssistantEmulator, TOKEN } from "./index.js";

/** Each text is the state of another entity: a change names the state before, too. */
const ENTITIES = 200;

/** Ann changes an entity; the bot answers with a notification. */
export async function homeassistant(): Promise<Emulated> {
  const emulator = await new HomeAssistantEmulator().start();
  for (let i = 0; i < ENTITIES; i++) emulator.set(`input_text.ann${i}`, "idle");
  let said = 0;
  return {
    name: "homeassistant",
    settings: {
      ...{ token: TOKEN, api_url: emulator.url },
      ...{ watch_domains: ["input_text"], cooldown_seconds: 0 },
    },
    isConnected: () => emulator.sockets > 0,
    ...bothSides(
      (text) => emulator.set(`input_text.ann${said++ % ENTITIES}`, text),
      () => [...emulator.notifications.values()],
    ),
    close: () => emulator.close(),
  };
}
