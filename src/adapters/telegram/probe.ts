/** getMe and getWebhookInfo → who the bot is, and what keeps messages from arriving. Never polls. */
import type { WebhookInfo } from "grammy/types";
import { nowSeconds } from "../../clock.js";
import { HermesError } from "../../errors.js";
import { type Finding, found } from "../../finding.js";
import { networkReason } from "../kit/send-errors.js";
import { UNAUTHORIZED } from "../kit/webhook-route.js";
import { PROBE_CALL_MS, type Probe, type ProbeOptions } from "../probe.js";
import { asSignal, loadApi } from "./api.js";
import { addressOf, checkWebhook, settingsOf, type WebhookOptions } from "./config.js";
import { isApiError, isUnauthorized, TOKEN_FAULT, TOKEN_FIX } from "./faults.js";

export interface ProbedBot {
  token: string;
  apiUrl: string;
  requireMention: boolean;
  webhook?: WebhookOptions;
}

const BOT_FATHER = "https://t.me/BotFather";
const RECENT_SECONDS = 3600;

export async function probeTelegram(bot: ProbedBot, options: ProbeOptions): Promise<Probe> {
  const { token, apiUrl, webhook } = bot;
  try {
    const api = await loadApi(settingsOf({ token, apiUrl, timing: { callMs: PROBE_CALL_MS } }));
    const me = await api.call.getMe(asSignal(options.signal));
    const name = `@${me.username}`;
    const findings = [found.ok(`is ${name} (id ${me.id})`), ...groups(me, bot)];
    const fault = webhook && webhookFault(webhook);
    if (fault) return { bot: { id: String(me.id), name }, findings: [...findings, fault] };
    if (webhook?.publicUrl?.startsWith("http:") && isTelegramsOwn(apiUrl)) findings.push(plainHttp());
    const info = await api.call.getWebhookInfo(asSignal(options.signal));
    findings.push(...judgeWebhook(info, webhook, options.running, nowSeconds()));
    if (webhook?.publicUrl !== undefined && options.running)
      findings.push(await checkAddress(addressOf(webhook.publicUrl, webhook.path), options.signal));
    return { bot: { id: String(me.id), name }, findings };
  } catch (error) {
    return { findings: [explain(error, apiUrl)] };
  }
}

function explain(error: unknown, apiUrl: string): Finding {
  if (error instanceof HermesError) return found.fail(error.message, error.hint, BOT_FATHER);
  if (isUnauthorized(error)) return found.fail(TOKEN_FAULT, `${TOKEN_FIX}.`, BOT_FATHER);
  const reason = isApiError(error) ? error.description : networkReason(error);
  return found.fail(
    `Telegram can't be reached (${reason})`,
    `Check the network and platforms.telegram.api_root (${apiUrl}).`,
  );
}

/** With privacy mode on, Telegram doesn't deliver most messages in groups. */
function groups(
  me: { can_join_groups?: boolean; can_read_all_group_messages?: boolean },
  { requireMention }: ProbedBot,
): Finding[] {
  if (requireMention || me.can_join_groups === false || me.can_read_all_group_messages !== false) return [];
  return [
    found.warn(
      "privacy mode is on: in groups Telegram delivers only commands and replies to the bot",
      "Switch it off with @BotFather (/setprivacy) and add the bot to its groups again, or set platforms.telegram.require_mention: true.",
      BOT_FATHER,
    ),
  ];
}

function webhookFault(webhook: WebhookOptions): Finding | undefined {
  try {
    checkWebhook(webhook);
    return undefined;
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    return found.fail(error.message, error.hint);
  }
}

type Info = Pick<WebhookInfo, "url" | "pending_update_count" | "last_error_date" | "last_error_message">;

export function judgeWebhook(
  info: Info,
  wanted: WebhookOptions | undefined,
  running: boolean,
  now: number,
): Finding[] {
  if (!wanted) return info.url ? [foreignWebhook(info.url, running)] : [];
  const address = wanted.publicUrl === undefined ? undefined : addressOf(wanted.publicUrl, wanted.path);
  if (!info.url || (address !== undefined && info.url !== address))
    return [notSet(info.url, address, running)];
  return [deliveries(info, now)];
}

function foreignWebhook(url: string, running: boolean): Finding {
  const what = `uses polling, but Telegram has a webhook at ${hostOf(url)}`;
  if (running)
    return found.fail(what, "Another program has set it: stop that one and restart the gateway.", BOT_FATHER);
  return found.warn(
    what,
    "The gateway removes it when it starts. Stop the other program if one still uses this bot.",
  );
}

function notSet(url: string | undefined, address: string | undefined, running: boolean): Finding {
  if (address === undefined)
    return found.fail("Telegram has no webhook address", "Set platforms.telegram.webhook.url.");
  if (!running && !url) return found.ok(`the webhook will be set when the gateway starts (${address})`);
  const has = url ? `Telegram calls ${hostOf(url)} instead of ours` : "Telegram has no webhook address";
  return found.fail(has, "Stop the other program that uses this bot, then restart the gateway.");
}

function deliveries(
  { pending_update_count: pending, last_error_message, last_error_date }: Info,
  now: number,
) {
  const waiting = pending > 0 ? `, ${pending} updates are pending` : "";
  if (last_error_message && pending > 0)
    return found.fail(
      `Telegram can't deliver to the webhook: ${last_error_message}${waiting}`,
      "The address must reach the gateway's HTTP port, with a certificate that Telegram trusts.",
    );
  if (last_error_message && now - (last_error_date ?? 0) < RECENT_SECONDS)
    return found.warn(
      `the webhook works again; Telegram's last failed attempt: ${last_error_message}`,
      "Check the proxy's log if this happens again.",
    );
  return found.ok(`the webhook is set${waiting}`);
}

/** Calls our webhook without the secret: if the refusal has our own text, our server answers there. */
async function checkAddress(address: string, signal: AbortSignal): Promise<Finding> {
  const fix = "Make the proxy forward this path to the gateway's HTTP port (http.host, http.port).";
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(PROBE_CALL_MS)]);
    const answer = await fetch(address, { method: "POST", body: "{}", redirect: "manual", signal: limit });
    const ours = answer.status === 401 && (await answer.text()) === UNAUTHORIZED;
    if (ours) return found.ok(`the gateway answers at ${address}`);
    return found.fail(`another server answers at ${address} (HTTP ${answer.status})`, fix);
  } catch {
    // Inconclusive: some networks can't reach their own public address.
    return found.warn(`${address} can't be reached from here`, fix);
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "an unknown address";
}

/** A self-hosted Bot API server may call plain http too. */
function isTelegramsOwn(apiUrl: string): boolean {
  return hostOf(apiUrl) === "api.telegram.org";
}

function plainHttp(): Finding {
  return found.fail(
    "Telegram calls https addresses only",
    "Put a proxy with a certificate in front of the gateway and set its address in platforms.telegram.webhook.url.",
  );
}
