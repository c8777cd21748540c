/** The platforms of the crash table, one entry each. */
import { bluebubbles } from "./bluebubbles.js";
import { discord } from "./discord.js";
import { email } from "./email.js";
import { homeassistant } from "./homeassistant.js";
import { matrix } from "./matrix.js";
import { mattermost } from "./mattermost.js";
import type { Platform } from "./platform.js";
import { signal } from "./signal.js";
import { slack } from "./slack.js";
import { sms } from "./sms.js";
import { telegram } from "./telegram.js";
import { whatsapp } from "./whatsapp.js";
import { whatsappCloud } from "./whatsapp-cloud.js";

export const PLATFORMS: Readonly<Record<string, () => Promise<Platform>>> = {
  ...{ telegram, discord, slack },
  ...{ mattermost, matrix, sms, email, signal, homeassistant, bluebubbles },
  whatsapp,
  whatsapp_cloud: whatsappCloud,
};
