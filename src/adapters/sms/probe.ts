/** The account and its number → what keeps messages from arriving. Sends nothing. */
import { type Finding, found } from "../../finding.js";
import { checkAddress } from "../kit/check-address.js";
import { PROBE_CALL_MS, type Probe, type ProbeOptions } from "../probe.js";
import { TwilioApi } from "./api.js";
import { type Settings, type SmsOptions, settingsOf } from "./config.js";
import { isUnauthorized, reasonOf, tokenRefused } from "./faults.js";

const CONSOLE = "https://console.twilio.com";

export async function probeSms(options: SmsOptions, { running, signal }: ProbeOptions): Promise<Probe> {
  const settings = settingsOf({ ...options, timing: { callMs: PROBE_CALL_MS } });
  const { phoneNumber, webhookUrl, apiUrl } = settings;
  const api = new TwilioApi(settings);
  try {
    const { status, type } = await api.account(signal);
    const number = await api.number(signal);
    const findings = [
      found.ok(`is ${phoneNumber} at Twilio`),
      ...accountFindings(status, type),
      ...numberFindings(number, settings),
      ...(webhookUrl !== null && running ? [await checkAddress(webhookUrl, signal)] : []),
    ];
    return { bot: { id: phoneNumber, name: phoneNumber }, findings };
  } catch (error) {
    if (isUnauthorized(error)) {
      const { message, hint } = tokenRefused();
      return { findings: [found.fail(message, hint, CONSOLE)] };
    }
    const fix = `Check the network and platforms.sms.api_url (${apiUrl}).`;
    return { findings: [found.fail(`Twilio can't be reached (${reasonOf(error)})`, fix)] };
  }
}

function accountFindings(status: string, type: string): Finding[] {
  if (status !== "" && status !== "active")
    return [found.fail(`the account is ${status}`, "See Twilio's console for the reason.", CONSOLE)];
  if (type !== "Trial") return [];
  return [
    found.warn(
      "it is a trial account: it sends to verified numbers only, with a text of Twilio's in front of each message",
      "Upgrade the account, or verify the numbers of your people.",
      CONSOLE,
    ),
  ];
}

function numberFindings(
  number: { smsUrl: string } | undefined,
  { phoneNumber, webhookUrl }: Settings,
): Finding[] {
  if (!number)
    return [
      found.fail(
        `the account has no number ${phoneNumber}`,
        "Set TWILIO_PHONE_NUMBER to a number of this account, with the country code.",
        CONSOLE,
      ),
    ];
  if (webhookUrl === null)
    return [
      found.warn(
        "there is no webhook: messages are fetched every few seconds",
        "Set platforms.sms.webhook_url, and the same address at Twilio, to receive them immediately.",
      ),
    ];
  const bare = (url: string) => url.split("#", 1)[0];
  if (bare(number.smsUrl) === bare(webhookUrl)) return [found.ok("Twilio calls our webhook")];
  return [
    found.fail(
      "Twilio calls another address for this number, so messages arrive late",
      `Set ${webhookUrl} as the number's messaging webhook (A message comes in) in Twilio's console.`,
      CONSOLE,
    ),
  ];
}
