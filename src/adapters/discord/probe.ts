/** Three reads of the REST API → who the bot is, which intents it has, how many connects are left. No gateway socket. */
import { type Finding, found } from "../../finding.js";
import { PROBE_CALL_MS, type Probe, type ProbeOptions } from "../probe.js";
import { settingsOf } from "./config.js";
import { isBadToken, PORTAL, sendErrorOf } from "./faults.js";
import { IDENTIFY_RESERVE } from "./link.js";
import { closeRest, openRest } from "./rest.js";

export interface ProbedBot {
  token: string;
  apiUrl: string;
}

interface Application {
  id: string;
  flags?: number;
  approximate_guild_count?: number;
}

interface GatewayInfo {
  session_start_limit: { total: number; remaining: number; reset_after: number };
}

/** Either is enough: the second is for bots that few people use. */
const MESSAGE_CONTENT = (1 << 18) | (1 << 19);
/** View channels, send messages (also in threads), make threads, attach files, read the history. */
const PERMISSIONS = (1n << 10n) | (1n << 11n) | (1n << 15n) | (1n << 16n) | (1n << 35n) | (1n << 38n);

export async function probeDiscord(bot: ProbedBot, { signal }: ProbeOptions): Promise<Probe> {
  const settings = settingsOf({ ...bot, timing: { requestTimeoutMs: PROBE_CALL_MS } });
  const rest = await openRest(settings);
  try {
    const me = (await rest.get("/users/@me", { signal })) as { id: string; username: string };
    const application = (await rest.get("/applications/@me", { signal })) as Application;
    const gateway = (await rest.get("/gateway/bot", { signal })) as GatewayInfo;
    const findings = [
      found.ok(`is ${me.username} (id ${me.id})`),
      intents(application),
      ...invitation(application),
      ...connects(gateway),
    ];
    return { bot: { id: me.id, name: me.username }, findings };
  } catch (error) {
    return { findings: [explain(error, settings.apiUrl)] };
  } finally {
    closeRest(rest);
  }
}

function explain(error: unknown, apiUrl: string): Finding {
  if (isBadToken(error))
    return found.fail(
      "Discord refuses the bot's token",
      "Make a new one (Bot → Reset Token) and put it into DISCORD_BOT_TOKEN.",
      PORTAL,
    );
  return found.fail(
    sendErrorOf(error).message,
    `Check the network and platforms.discord.api_url (${apiUrl}).`,
  );
}

function intents({ id, flags = 0 }: Application): Finding {
  if ((flags & MESSAGE_CONTENT) !== 0) return found.ok("has the Message Content Intent");
  return found.fail(
    "the Message Content Intent is off: Discord refuses the connection",
    "Switch it on (Bot → Privileged Gateway Intents → Message Content Intent) and restart the gateway.",
    `${PORTAL}/${id}/bot`,
  );
}

function invitation({ id, approximate_guild_count: servers }: Application): Finding[] {
  if (servers !== 0) return [];
  return [found.warn("is in no server yet: nobody can find it", "Invite it to one of yours.", inviteUrl(id))];
}

/** Where somebody who runs a server lets the bot in. */
export function inviteUrl(applicationId: string): string {
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: "bot applications.commands",
    permissions: String(PERMISSIONS),
  });
  return `https://discord.com/oauth2/authorize?${query}`;
}

function connects({ session_start_limit: { total, remaining, reset_after } }: GatewayInfo): Finding[] {
  if (remaining > IDENTIFY_RESERVE * 5) return [];
  const hours = Math.ceil(reset_after / 3_600_000);
  const left = `${remaining} of ${total} connects are left; there are more in ${hours} h`;
  const fix =
    "Something restarts too often: look at the gateway's log. At none left Discord resets the token.";
  return [remaining > IDENTIFY_RESERVE ? found.warn(left, fix) : found.fail(left, fix)];
}
