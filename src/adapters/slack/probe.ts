/** auth.test and its scopes → who the bot is, and what it may not do. Opens no socket. */
import { type Finding, found } from "../../finding.js";
import { PROBE_CALL_MS, type Probe, type ProbeOptions } from "../probe.js";
import { connectApi, type SlackApi } from "./api.js";
import { explain, isHopeless, slackCode } from "./faults.js";

export interface ProbedBot {
  token: string;
  appToken: string | null;
  signingSecret: string | null;
  apiUrl: string;
  eventsPath: string;
}

interface AuthTest {
  user_id?: string;
  user?: string;
  team?: string;
  response_metadata?: { scopes?: string[] };
}

const APPS = "https://api.slack.com/apps";
const CLOSE_MS = 100;

/** What each scope is for. Without the first kind there is no conversation; the others take something away. */
const NEEDED: Readonly<Record<string, string>> = { "chat:write": "to answer" };
const HEARING: Readonly<Record<string, string>> = {
  "im:history": "to hear direct messages",
  "app_mentions:read": "to hear mentions",
  "channels:history": "to hear channels and fetch what was missed",
  "groups:history": "to hear private channels",
  "mpim:history": "to hear group messages",
};
const USEFUL: Readonly<Record<string, string>> = {
  ...HEARING,
  "im:read": "to find the direct messages it missed",
  "channels:read": "to know channels by name",
  "groups:read": "to know private channels by name",
  "mpim:read": "to know group messages",
  "users:read": "to know people by name",
  "files:read": "to get files",
  "files:write": "to send files",
  commands: "for slash commands",
};

export async function probeSlack(bot: ProbedBot, options: ProbeOptions): Promise<Probe> {
  const { appToken, signingSecret, eventsPath } = bot;
  const probe = await probeBotToken(bot, options.signal);
  if (!appToken && !signingSecret) probe.findings.push(noWayIn());
  else if (!appToken)
    probe.findings.push(found.ok(`listens over HTTP: the Request URL ends in ${eventsPath}`));
  // A gateway that runs has its socket, and Slack counts how often one is asked for.
  else if (!options.running) probe.findings.push(await probeAppToken(bot, appToken, options.signal));
  return probe;
}

async function probeBotToken(bot: ProbedBot, signal: AbortSignal): Promise<Probe> {
  try {
    const me = await asking(bot.token, bot.apiUrl, (api) => api.call<AuthTest>("auth.test", {}, { signal }));
    const name = me.user ?? "a bot";
    const findings = [
      found.ok(`is ${name} in ${me.team ?? "its workspace"} (id ${me.user_id})`),
      ...judgeScopes(me.response_metadata?.scopes),
    ];
    return { bot: { id: me.user_id ?? "", name }, findings };
  } catch (error) {
    return { findings: [refused("token", error, bot.apiUrl)] };
  }
}

async function probeAppToken(bot: ProbedBot, appToken: string, signal: AbortSignal): Promise<Finding> {
  try {
    await asking(appToken, bot.apiUrl, (api) => api.call("apps.connections.open", {}, { signal }));
    return found.ok("may open sockets (Socket Mode)");
  } catch (error) {
    if (slackCode(error) === "missing_scope")
      return found.fail(
        "the app token lacks the scope connections:write: no socket can be opened",
        "Make a new app-level token with connections:write (Basic Information → App-Level Tokens) and set SLACK_APP_TOKEN.",
        APPS,
      );
    return refused("app_token", error, bot.apiUrl);
  }
}

async function asking<T>(token: string, apiUrl: string, ask: (api: SlackApi) => Promise<T>): Promise<T> {
  const api = await connectApi(token, apiUrl, PROBE_CALL_MS);
  try {
    return await ask(api);
  } finally {
    await api.close(CLOSE_MS);
  }
}

function refused(key: "token" | "app_token", error: unknown, apiUrl: string): Finding {
  // The line says what to do: it is the one of the log.
  if (isHopeless(error)) return found.fail(`${key}: ${explain(error)}`, undefined, APPS);
  return found.fail(explain(error), `Check the network and platforms.slack.api_url (${apiUrl}).`);
}

function noWayIn(): Finding {
  return found.fail(
    "has neither an app token (Socket Mode) nor a signing secret (HTTP): no message can come in",
    "Set SLACK_APP_TOKEN (Basic Information → App-Level Tokens), or SLACK_SIGNING_SECRET for events over HTTP.",
    APPS,
  );
}

/** Undefined: Slack didn't say. */
export function judgeScopes(given: readonly string[] | undefined): Finding[] {
  if (!given) return [];
  const has = new Set(given);
  const deaf = Object.keys(HEARING).every((scope) => !has.has(scope));
  const needed = lacking({ ...NEEDED, ...(deaf ? HEARING : {}) }, has);
  const useful = lacking(deaf ? without(USEFUL, HEARING) : USEFUL, has);
  if (needed.length === 0 && useful.length === 0) return [found.ok("has all scopes")];
  const fix = "Add them (OAuth & Permissions → Bot Token Scopes) and reinstall the app.";
  return [
    ...(needed.length > 0 ? [found.fail(lackOf(needed), fix, APPS)] : []),
    ...(useful.length > 0 ? [found.warn(lackOf(useful), fix, APPS)] : []),
  ];
}

function lackOf(scopes: readonly string[]): string {
  return `lacks the ${scopes.length === 1 ? "scope" : "scopes"} ${scopes.join(", ")}`;
}

function lacking(scopes: Readonly<Record<string, string>>, has: ReadonlySet<string>): string[] {
  return Object.entries(scopes)
    .filter(([scope]) => !has.has(scope))
    .map(([scope, purpose]) => `${scope} (${purpose})`);
}

function without(
  scopes: Readonly<Record<string, string>>,
  others: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(scopes).filter(([scope]) => !Object.hasOwn(others, scope)));
}
