/** Three REST reads → who the bot is, which intents it has, how many connects are left. Opens no gateway socket. */
import { ApplicationFlags, PermissionFlagsBits } from "discord-api-types/v10";
import { type Finding, found } from "../../finding.js";
import { PROBE_CALL_MS, type Probe, type ProbeOptions } from "../probe.js";
import { settingsOf } from "./config.js";
import { isBadToken, PORTAL, sendErrorOf } from "./faults.js";
import { closeRest, openRest } from "./rest.js";
import { IDENTIFY_RESERVE } from "./socket.js";

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

/** Either is enough: the second is for bots in few servers. */
const MESSAGE_CONTENT =
  ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;
const PERMISSIONS =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.CreatePublicThreads |
  PermissionFlagsBits.SendMessagesInThreads;

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
  return [found.warn("is not in any server yet", "Invite it to one of yours.", inviteUrl(id))];
}

/** Where the owner of a server can add the bot. */
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
  const left = `${remaining} of ${total} connects left; resets in ${hours} h`;
  const fix = "The gateway restarts too often: check its log. When none is left, Discord resets the token.";
  return [remaining > IDENTIFY_RESERVE ? found.warn(left, fix) : found.fail(left, fix)];
}
