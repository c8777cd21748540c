/** Every emulated platform, one entry each: for `npm run emulators`, for tests with all platforms at once, for the bench. */
import { bluebubbles } from "./bluebubbles/ann.js";
import { discord } from "./discord/ann.js";
import { email } from "./email/ann.js";
import { type Emulated, sectionOf } from "./emulated.js";
import { homeassistant } from "./homeassistant/ann.js";
import { matrix } from "./matrix/ann.js";
import { mattermost } from "./mattermost/ann.js";
import { signal } from "./signal/ann.js";
import { slack } from "./slack/ann.js";
import { sms } from "./sms/ann.js";
import { telegram } from "./telegram/ann.js";
import { whatsapp } from "./whatsapp/ann.js";
import { whatsappCloud } from "./whatsapp-cloud/ann.js";

export const EMULATED: Readonly<Record<string, () => Promise<Emulated>>> = {
  ...{ telegram, discord, slack },
  ...{ mattermost, matrix, sms, email },
  ...{ signal, homeassistant, bluebubbles },
  ...{ whatsapp, whatsapp_cloud: whatsappCloud },
};

export const EMULATED_NAMES = Object.keys(EMULATED);

export function startEmulated(names: readonly string[] = EMULATED_NAMES): Promise<Emulated[]> {
  return Promise.all(names.map((name) => EMULATED[name]!()));
}

/** `platforms:` of a gateway on them. */
export function platformsSection(emulated: readonly Emulated[]): string {
  const lines = emulated.map(({ name, settings }) => `  ${sectionOf(name, settings)}\n`);
  return lines.length === 0 ? "" : `platforms:\n${lines.join("")}`;
}

export async function closeEmulated(emulated: readonly Emulated[]): Promise<void> {
  await Promise.all(emulated.map((one) => one.close()));
}
