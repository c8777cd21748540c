import { ANN, BOT, type Emulated } from "../emulated.js";
import { buttonsIn, SlackEmulator, visibleText } from "./index.js";

const CHANNEL = "D1";
const USER = "U1";

export async function slack(): Promise<Emulated> {
  const emulator = await new SlackEmulator().start();
  emulator.workspace.addPerson(USER, ANN);
  emulator.room(CHANNEL, "im", [USER]);
  return {
    name: "slack",
    settings: emulator.settings,
    isConnected: () => emulator.sockets.count > 0,
    say: (text) => void emulator.say({ channel: CHANNEL, user: USER, text }),
    lines: () =>
      emulator.workspace.all(CHANNEL).map((message) => ({
        ...{ id: message.ts, from: message.user === USER ? ANN : BOT, text: visibleText(message) },
        buttons: buttonsIn(message).map(({ text }) => text.text),
      })),
    press: (id, button) => void emulator.press(CHANNEL, id, button, USER),
    close: () => emulator.close(),
  };
}
