import { bothSides, type Emulated } from "../emulated.js";
import { NUMBER, SignalEmulator } from "./index.js";

export async function signal(): Promise<Emulated> {
  const emulator = await new SignalEmulator().start();
  const ann = emulator.person("Ann");
  return {
    name: "signal",
    settings: { account: NUMBER, api_url: emulator.url },
    isConnected: () => emulator.streams > 0,
    ...bothSides(
      (text) => void emulator.say(ann, text),
      () =>
        emulator
          .said(ann.number!)
          .map(({ timestamp, text }) => ({ id: String(timestamp), text, atMs: timestamp })),
    ),
    close: () => emulator.close(),
  };
}
