import { bothSides, type Emulated } from "../emulated.js";
import { EmailEmulator } from "./index.js";

const ADDRESS = "ann@people.example";

export async function email(): Promise<Emulated> {
  const emulator = await new EmailEmulator().start();
  return {
    name: "email",
    settings: emulator.settings,
    isConnected: () => emulator.imap.connections > 0,
    ...bothSides(
      (text) => void emulator.say(ADDRESS, text),
      () => emulator.saidTo(ADDRESS),
    ),
    close: () => emulator.close(),
  };
}
