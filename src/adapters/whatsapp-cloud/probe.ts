/** The number and the secrets → what keeps messages from arriving. Sends nothing. */
import { type Finding, found } from "../../finding.js";
import { PROBE_CALL_MS, type Probe, type ProbeOptions } from "../probe.js";
import { GraphApi } from "./api.js";
import { type Settings, settingsOf, type WhatsAppOptions } from "./config.js";
import { isUnauthorized, reasonOf, tokenRefused } from "./faults.js";

const APPS = "https://developers.facebook.com/apps";

export async function probeWhatsApp(options: WhatsAppOptions, { signal }: ProbeOptions): Promise<Probe> {
  const settings = settingsOf({ ...options, timing: { callMs: PROBE_CALL_MS } });
  const api = new GraphApi(settings);
  try {
    const { display, name } = await api.number(signal);
    const findings = [
      found.ok(`is ${name || "a business"} (${display})`),
      ...tokenFindings(settings),
      ...(await subscriptionFindings(api, settings, signal)),
    ];
    return { bot: { id: settings.phoneNumberId, name: display }, findings };
  } catch (error) {
    if (isUnauthorized(error)) {
      const { message, hint } = tokenRefused();
      return { findings: [found.fail(message, hint, APPS)] };
    }
    const fix = `Check the network, WHATSAPP_CLOUD_PHONE_NUMBER_ID and platforms.whatsapp_cloud.api_url (${settings.apiUrl}).`;
    return { findings: [found.fail(`WhatsApp can't be reached (${reasonOf(error)})`, fix)] };
  }
}

function tokenFindings({ verifyToken }: Settings): Finding[] {
  if (verifyToken !== null) return [];
  return [
    found.warn(
      "has no verify token, so Meta can't check the webhook's address",
      "Set WHATSAPP_CLOUD_VERIFY_TOKEN to a long random text, and the same at Meta (WhatsApp → Configuration).",
      APPS,
    ),
  ];
}

/** Without a subscription Meta takes messages and calls no webhook. */
async function subscriptionFindings(
  api: GraphApi,
  { businessId }: Settings,
  signal: AbortSignal,
): Promise<Finding[]> {
  if (businessId === null) return [];
  if ((await api.subscribedApps(businessId, signal)) > 0)
    return [found.ok("an app is subscribed to the business account")];
  return [
    found.fail(
      "no app is subscribed to the business account, so no messages arrive",
      `Subscribe the app: POST /${businessId}/subscribed_apps with the access token, or WhatsApp → Configuration at Meta.`,
      APPS,
    ),
  ];
}
