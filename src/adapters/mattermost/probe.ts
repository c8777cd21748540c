/** Checks the address and the token for `hermes doctor` and setup. Opens no socket. */
import { type Finding, found } from "../../finding.js";
import { withoutTrailing } from "../../trailing.js";
import { checkAddress } from "../kit/check-address.js";
import { PROBE_CALL_MS, type Probe, type ProbeOptions } from "../probe.js";
import { isUnauthorized, MattermostApi, reasonOf, TOKEN_FAULT, TOKEN_FIX } from "./api.js";

export interface ProbedBot {
  token: string;
  apiUrl: string;
  /** Where the server presses our buttons, in full. */
  callback?: string | undefined;
}

export async function probeMattermost(
  { token, apiUrl, callback }: ProbedBot,
  { running, signal }: ProbeOptions,
): Promise<Probe> {
  const api = new MattermostApi({ apiUrl: withoutTrailing(apiUrl, "/"), token, timeoutMs: PROBE_CALL_MS });
  try {
    const me = await api.me(signal);
    const channels = await api.channels(signal);
    const name = `@${me.username}`;
    const findings = [found.ok(`is ${name} (id ${me.id})`), judge(channels)];
    if (callback !== undefined && running) findings.push(await checkAddress(callback, signal));
    return { bot: { id: me.id, name }, findings };
  } catch (error) {
    return { findings: [explain(error, apiUrl)] };
  }
}

/** A bot reads and writes only where it is a member. */
function judge(channels: readonly { type: string }[]): Finding {
  const rooms = channels.filter(({ type }) => type !== "D").length;
  if (rooms > 0) return found.ok(`is a member of ${rooms} channels`);
  return found.warn(
    "isn't a member of any channel: it only answers direct messages",
    "Add it to a team (Team → Invite people), then to channels (/invite).",
  );
}

function explain(error: unknown, apiUrl: string): Finding {
  if (isUnauthorized(error)) return found.fail(TOKEN_FAULT, `${TOKEN_FIX}.`);
  return found.fail(
    `Mattermost can't be reached (${reasonOf(error)})`,
    `Check the network and platforms.mattermost.api_url (${apiUrl}).`,
  );
}
