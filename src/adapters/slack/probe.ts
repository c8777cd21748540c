/** Checks the tokens and scopes for `hermes doctor` and setup. Opens no socket. */
import { type Finding, found } from "../../finding.js";
import { PROBE_CALL_MS, type Probe, type ProbeOptions } from "../probe.js";
import { connectApi, type SlackApi } from "./api.js";
import { explain, isHopeless, slackCode } from "./errors.js";
import { NEEDED_SCOPES, RECEIVING_SCOPES, USEFUL_SCOPES } from "./scopes.js";

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

export async function probeSlack(bot: ProbedBot, options: ProbeOptions): Promise<Probe> {
  const { appToken, signingSecret, eventsPath } = bot;
  const probe = await probeBotToken(bot, options.signal);
  if (!appToken && !signingSecret) probe.findings.push(noTransport());
  else if (!appToken)
    probe.findings.push(found.ok(`receives events over HTTP: the Request URL ends in ${eventsPath}`));
  // A running gateway has its socket already, and Slack limits how often one is requested.
  else if (!options.running) probe.findings.push(await probeAppToken(bot, appToken, options.signal));
  return probe;
}

async function probeBotToken(bot: ProbedBot, signal: AbortSignal): Promise<Probe> {
  try {
    const me = await withApi(bot.token, bot.apiUrl, (api) => api.call<AuthTest>("auth.test", {}, { signal }));
    const name = me.user ?? "a bot";
    const findings = [
      found.ok(`is ${name} in ${me.team ?? "its workspace"} (id ${me.user_id})`),
      ...judgeScopes(me.response_metadata?.scopes),
    ];
    return { bot: { id: me.user_id ?? "", name }, findings };
  } catch (error) {
    return { findings: [failure("token", error, bot.apiUrl)] };
  }
}

async function probeAppToken(bot: ProbedBot, appToken: string, signal: AbortSignal): Promise<Finding> {
  try {
    await withApi(appToken, bot.apiUrl, (api) => api.call("apps.connections.open", {}, { signal }));
    return found.ok("may open sockets (Socket Mode)");
  } catch (error) {
    if (slackCode(error) === "missing_scope")
      return found.fail(
        "the app token lacks the scope connections:write: no socket can be opened",
        "Create a new app-level token with connections:write (Basic Information → App-Level Tokens) and set SLACK_APP_TOKEN.",
        APPS,
      );
    return failure("app_token", error, bot.apiUrl);
  }
}

async function withApi<T>(token: string, apiUrl: string, call: (api: SlackApi) => Promise<T>): Promise<T> {
  const api = await connectApi(token, apiUrl, PROBE_CALL_MS);
  try {
    return await call(api);
  } finally {
    await api.close(CLOSE_MS);
  }
}

function failure(key: "token" | "app_token", error: unknown, apiUrl: string): Finding {
  // The message says what to do.
  if (isHopeless(error)) return found.fail(`${key}: ${explain(error)}`, undefined, APPS);
  return found.fail(explain(error), `Check the network and platforms.slack.api_url (${apiUrl}).`);
}

function noTransport(): Finding {
  return found.fail(
    "has neither an app token (Socket Mode) nor a signing secret (HTTP): it can't receive messages",
    "Set SLACK_APP_TOKEN (Basic Information → App-Level Tokens), or SLACK_SIGNING_SECRET for events over HTTP.",
    APPS,
  );
}

/** `given` is undefined when Slack sent no scopes. */
export function judgeScopes(given: readonly string[] | undefined): Finding[] {
  if (!given) return [];
  const has = new Set(given);
  const receiving = lacking(RECEIVING_SCOPES, has);
  const canReceive = receiving.length < Object.keys(RECEIVING_SCOPES).length;
  const needed = [...lacking(NEEDED_SCOPES, has), ...(canReceive ? [] : receiving)];
  const useful = [...(canReceive ? receiving : []), ...lacking(USEFUL_SCOPES, has)];
  if (needed.length === 0 && useful.length === 0) return [found.ok("has all scopes")];
  const fix = "Add them (OAuth & Permissions → Bot Token Scopes) and reinstall the app.";
  return [
    ...(needed.length > 0 ? [found.fail(lacks(needed), fix, APPS)] : []),
    ...(useful.length > 0 ? [found.warn(lacks(useful), fix, APPS)] : []),
  ];
}

function lacks(scopes: readonly string[]): string {
  return `lacks the ${scopes.length === 1 ? "scope" : "scopes"} ${scopes.join(", ")}`;
}

function lacking(scopes: Readonly<Record<string, string>>, has: ReadonlySet<string>): string[] {
  return Object.entries(scopes)
    .filter(([scope]) => !has.has(scope))
    .map(([scope, purpose]) => `${scope} (${purpose})`);
}
