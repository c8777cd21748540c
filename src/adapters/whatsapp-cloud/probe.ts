/** The number and the secrets → what keeps messages from arriving. Sends nothing. */
import { found } from "../../finding.js";
import { PROBE_CALL_MS, type Probe, type ProbeOptions } from "../probe.js";
import { GraphApi } from "./api.js";
import { settingsOf, type WhatsAppOptions } from "./config.js";
import { isUnauthorized, reasonOf, tokenRefused } from "./faults.js";

const APPS = "https://developers.facebook.com/apps";

export async function probeWhatsApp(options: WhatsAppOptions, { signal }: ProbeOptions): Promise<Probe> {
  const settings = settingsOf({ ...options, timing: { callMs: PROBE_CALL_MS } });
  try {
    const { display, name } = await new GraphApi(settings).number(signal);
    const findings = [found.ok(`is ${name || "a business"} (${display})`)];
    if (settings.verifyToken === null)
      findings.push(
        found.warn(
          "has no verify token, so Meta can't check the webhook's address",
          "Set WHATSAPP_CLOUD_VERIFY_TOKEN to a long random text, and the same at Meta (WhatsApp → Configuration).",
          APPS,
        ),
      );
    return { bot: { id: settings.phoneNumberId, name: display }, findings };
  } catch (error) {
    if (isUnauthorized(error)) {
      const { message, hint } = tokenRefused();
      return { findings: [found.fail(message, hint, APPS)] };
    }
    const fix = `Check the network and platforms.whatsapp_cloud.api_url (${settings.apiUrl}).`;
    return { findings: [found.fail(`WhatsApp can't be reached (${reasonOf(error)})`, fix)] };
  }
}
