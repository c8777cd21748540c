import { WhatsAppEmulator } from "../emulators/whatsapp-cloud/index.js";
import type { Place, Platform } from "./platform.js";
import { webhookWeather } from "./webhooks.js";

export async function whatsappCloud(): Promise<Platform> {
  const emulator = await new WhatsAppEmulator().start();

  const dm = (number: string): Place => ({
    name: number,
    people: 1,
    say: (_, text) => {
      emulator.say(number, text);
      return number;
    },
    seen: () => emulator.said(number).map(({ text, atMs }) => ({ text, atMs })),
  });

  return {
    name: "whatsapp_cloud",
    config: `whatsapp_cloud: {phone_number_id: "${emulator.phoneNumberId}", access_token: "${emulator.accessToken}", app_secret: "${emulator.appSecret}", api_url: "${emulator.url}"}`,
    places: ["15551110001", "15551110002", "15551110003", "15551110004"].map(dm),
    longChars: 10_000,
    numbersEvents: false,
    ...webhookWeather(emulator, () => emulator.refuseNext(130429, 429, { "retry-after": "1" })),
  };
}
