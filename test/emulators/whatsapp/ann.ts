import { bothSides, type Emulated } from "../emulated.js";
import { LIBRARY, WhatsAppEmulator } from "./index.js";

export async function whatsapp(): Promise<Emulated> {
  const emulator = await new WhatsAppEmulator({ autoLink: true }).start();
  const ann = emulator.person("Ann");
  const chat = { with: ann };
  return {
    name: "whatsapp",
    settings: {
      ...{ phone_number: "15550000001", mode: "bot" },
      ...{ library: LIBRARY, api_url: emulator.url },
    },
    isConnected: () => emulator.connections > 0,
    ...bothSides(
      (text) => void emulator.say(chat, ann, text),
      () => emulator.said(chat),
    ),
    close: () => emulator.close(),
  };
}
