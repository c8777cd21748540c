import { ANN, BOT, type Emulated } from "../emulated.js";
import { WhatsAppEmulator } from "./index.js";

const NUMBER = "15551110001";

export async function whatsappCloud(): Promise<Emulated> {
  const emulator = await new WhatsAppEmulator().start();
  const { phoneNumberId, accessToken, appSecret } = emulator;
  return {
    name: "whatsapp_cloud",
    settings: {
      ...{ phone_number_id: phoneNumberId, access_token: accessToken, app_secret: appSecret },
      api_url: emulator.url,
    },
    isConnected: () => emulator.calls.some(({ status }) => status === 200),
    gatewayAt: (url) => {
      emulator.gatewayUrl = url;
    },
    say: (text) => void emulator.say(NUMBER, text),
    lines: () =>
      emulator.messages
        .filter(({ chat }) => chat === NUMBER)
        .map(({ id, from, text, rows = [] }) => ({
          ...{ id, from: from === "person" ? ANN : BOT, text, buttons: rows.map(({ title }) => title) },
        })),
    press: (messageId, button) => void emulator.press(NUMBER, messageId, button),
    close: () => emulator.close(),
  };
}
