import { ANN, BOT, type Emulated } from "../emulated.js";
import { TelegramEmulator } from "./index.js";

export async function telegram(): Promise<Emulated> {
  const emulator = await new TelegramEmulator().start();
  const ann = emulator.users.person(ANN);
  const chat = emulator.chats.privateWith(ann);
  return {
    name: "telegram",
    settings: emulator.settings,
    isConnected: () => emulator.updates.isPolled,
    say: (text) => void emulator.users.writeDm(ann, text),
    lines: () =>
      emulator.seen(chat.id).map(({ id, from, text, keyboard = [] }) => ({
        ...{ id: String(id), from: from === "bot" ? BOT : ANN, text },
        buttons: keyboard.flat().map((button) => button.text),
      })),
    press: (id, button) => void emulator.users.press(emulator.chats.find(chat.id, id)!, button, ann),
    close: () => emulator.close(),
  };
}
