import { ANN, BOT, type Emulated } from "../emulated.js";
import { SmsEmulator } from "./index.js";

const NUMBER = "+15551110001";

export async function sms(): Promise<Emulated> {
  const emulator = await new SmsEmulator().start();
  return {
    name: "sms",
    settings: emulator.settings,
    isConnected: () => emulator.calls.some(({ status }) => status === 200),
    gatewayAt: (url) => {
      emulator.gatewayUrl = url;
    },
    say: (text) => void emulator.say(NUMBER, text),
    lines: () =>
      emulator.messages
        .filter(({ from, to }) => from === NUMBER || to === NUMBER)
        .map(({ sid, from, body }) => ({
          ...{ id: sid, from: from === NUMBER ? ANN : BOT, text: body, buttons: [] },
        })),
    close: () => emulator.close(),
  };
}
