/** The address and the password → what keeps messages from arriving. Sends nothing. */
import { type Finding, found } from "../../finding.js";
import { PROBE_CALL_MS, type Probe, type ProbeOptions } from "../probe.js";
import { BlueBubblesApi, type ServerInfo } from "./api.js";
import { type BlueBubblesOptions, type Settings, settingsOf } from "./config.js";
import { isUnauthorized, PASSWORD_FAULT, PASSWORD_FIX, reasonOf } from "./faults.js";
import { isRegistered } from "./webhook.js";

const PRIVATE_API = "https://docs.bluebubbles.app/private-api/installation";

export async function probeBlueBubbles(
  options: BlueBubblesOptions,
  { running, signal }: ProbeOptions,
): Promise<Probe> {
  const settings = settingsOf({ ...options, timing: { callMs: PROBE_CALL_MS } });
  const api = new BlueBubblesApi(settings);
  try {
    const info = await api.info(signal);
    const name = `BlueBubbles ${info.version}`;
    const findings = [
      found.ok(`is ${name} on macOS ${info.macos}`),
      ...versionFindings(info),
      privateApiFinding(info),
      ...(running ? await webhookFindings(api, settings, signal) : []),
    ];
    return { bot: { id: settings.account, name }, findings };
  } catch (error) {
    if (isUnauthorized(error)) return { findings: [found.fail(PASSWORD_FAULT, PASSWORD_FIX)] };
    const fix = `Check that the server runs on the Mac, the network, and BLUEBUBBLES_SERVER_URL (${settings.apiUrl}).`;
    return { findings: [found.fail(`BlueBubbles can't be reached (${reasonOf(error)})`, fix)] };
  }
}

/** Older ones can't list messages in the order in which they came in. */
function versionFindings({ version }: ServerInfo): Finding[] {
  const [, major = "0", minor = "0"] = /^v?(\d{1,4})\.(\d{1,4})/.exec(version) ?? [];
  if (Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 6)) return [];
  return [found.fail("the server is older than 1.6", "Update the BlueBubbles server on the Mac.")];
}

function privateApiFinding({ privateApi }: ServerInfo): Finding {
  if (privateApi) return found.ok("the Private API works");
  return found.warn(
    "the Private API is off: there are no typing indicators, read receipts, replies, tapbacks or new chats",
    "Text and files work without it. Otherwise install it on the Mac and switch it on in the server's settings.",
    PRIVATE_API,
  );
}

async function webhookFindings(
  api: BlueBubblesApi,
  { webhookUrl, password }: Settings,
  signal: AbortSignal,
): Promise<Finding[]> {
  if (webhookUrl === null) return [];
  if (await isRegistered(api, webhookUrl, password, signal))
    return [found.ok("the server calls our webhook")];
  return [
    found.fail("our webhook isn't registered on the server, so messages arrive late", "Restart the gateway."),
  ];
}
