import { ANN, BOT, type Emulated } from "../emulated.js";
import { BlueBubblesEmulator } from "./index.js";

const NUMBER = "+15551110001";

export async function bluebubbles(): Promise<Emulated> {
  const emulator = await new BlueBubblesEmulator().start();
  const chat = emulator.mac.direct(NUMBER);
  return {
    name: "bluebubbles",
    settings: {
      ...{ api_url: emulator.url, password: emulator.password, poll_seconds: 1 },
      webhook_url: "http://gateway.example/bluebubbles-webhook",
    },
    isConnected: () => emulator.calls.some(({ status }) => status === 200),
    gatewayAt: (url) => {
      emulator.gatewayUrl = url;
    },
    say: (text) => void emulator.say(chat, NUMBER, text),
    lines: () =>
      emulator.mac.all
        .filter((message) => message.chat === chat)
        .map(({ guid, isFromMe, text }) => ({
          ...{ id: guid, from: isFromMe ? BOT : ANN, text, buttons: [] },
        })),
    close: () => emulator.close(),
  };
}
