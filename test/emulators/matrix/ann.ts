import { ANN, bothSides, type Emulated } from "../emulated.js";
import { MatrixEmulator } from "./index.js";

const USER = "@ann:test.example";

export async function matrix(): Promise<Emulated> {
  const emulator = await new MatrixEmulator().start();
  const room = emulator.room({ [USER]: ANN });
  return {
    name: "matrix",
    settings: emulator.settings,
    isConnected: () => emulator.polls > 0,
    ...bothSides(
      (text) => void emulator.say(room, USER, text),
      () => emulator.said(room),
    ),
    close: () => emulator.close(),
  };
}
