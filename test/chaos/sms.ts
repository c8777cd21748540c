import { sectionOf } from "../emulators/emulated.js";
import { SmsEmulator } from "../emulators/sms/index.js";
import type { Place, Platform } from "./platform.js";
import { webhookWeather } from "./webhooks.js";

export async function sms(): Promise<Platform> {
  const emulator = await new SmsEmulator().start();

  const dm = (number: string): Place => ({
    name: number,
    people: 1,
    say: (_, text) => {
      emulator.say(number, text);
      return number;
    },
    seen: () => emulator.said(number).map(({ body, atMs }) => ({ text: body, atMs })),
  });

  return {
    name: "sms",
    config: sectionOf("sms", emulator.settings),
    places: ["+15551110001", "+15551110002", "+15551110003", "+15551110004"].map(dm),
    longChars: 4000,
    numbersEvents: false,
    ...webhookWeather(emulator, () => emulator.rateLimit(1)),
  };
}
