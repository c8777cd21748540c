import { ANN, type Emulated } from "../emulated.js";
import { DiscordEmulator } from "./index.js";

export async function discord(): Promise<Emulated> {
  const emulator = new DiscordEmulator();
  await emulator.start();
  const ann = emulator.user(ANN);
  const dm = emulator.dm(ann);
  return {
    name: "discord",
    settings: emulator.settings,
    isConnected: () => emulator.gateway.connected,
    say: (text) => void emulator.say(ann, dm, text),
    lines: () =>
      emulator
        .chat(dm)
        .map(({ id, from, text, buttons }) => ({ id, from: from === ann.id ? ANN : from, text, buttons })),
    press: (id, button) => void emulator.press(ann, dm, id, button),
    close: () => emulator.close(),
  };
}
