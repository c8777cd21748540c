/** Checks signal-cli for `hermes doctor` and setup. Opens no stream: that would take messages away. */
import { type Finding, found } from "../../finding.js";
import { withoutTrailing } from "../../trailing.js";
import { isRecord, RestError } from "../kit/rest.js";
import { PROBE_CALL_MS, type Probe, type ProbeOptions } from "../probe.js";
import { NOT_SIGNAL_CLI, RpcError, reasonOf, SignalApi, UNKNOWN_ACCOUNT } from "./api.js";

export interface ProbedBot {
  number: string;
  apiUrl: string;
}

const START = "signal-cli -a NUMBER daemon --http 127.0.0.1:8080 --receive-mode=on-connection";
const LOST = "messages that come while the gateway is down are lost";

export async function probeSignal({ number, apiUrl }: ProbedBot, options: ProbeOptions): Promise<Probe> {
  const api = new SignalApi({ apiUrl: withoutTrailing(apiUrl, "/"), number, timeoutMs: PROBE_CALL_MS });
  const { signal, running } = options;
  try {
    await api.check(signal);
    const accounts = await api.rpc("listAccounts", {}, { signal }).catch(() => undefined);
    const known = Array.isArray(accounts) ? accounts.filter(isRecord).map((one) => one.number) : undefined;
    if (known && !known.includes(number)) return { findings: [found.fail(UNKNOWN_ACCOUNT)] };
    const mode = running ? "unknown" : await receiveMode(api, known !== undefined, signal);
    return { bot: { id: number, name: number }, findings: [found.ok(`is ${number}`), judge(mode)] };
  } catch (error) {
    return { findings: [explain(error, apiUrl)] };
  }
}

type Mode = "on-start" | "waits" | "unknown";

/**
 * signal-cli doesn't report how it was started. If no gateway is running, it must not be receiving; if it
 * is, it refuses a second receive call. We request zero messages, which versions before 0.12 may not
 * support.
 */
async function receiveMode(api: SignalApi, hasAccounts: boolean, signal: AbortSignal): Promise<Mode> {
  try {
    if (!(await isRecent(api, signal))) return "unknown";
    const account = hasAccounts ? {} : { account: undefined };
    await api.rpc("receive", { ...account, timeout: 1, maxMessages: 0 }, { signal });
    return "waits";
  } catch (error) {
    const isBusy = error instanceof RpcError && /already being received/i.test(error.message);
    return isBusy ? "on-start" : "unknown";
  }
}

async function isRecent(api: SignalApi, signal: AbortSignal): Promise<boolean> {
  const answer = await api.rpc("version", {}, { signal });
  const version = isRecord(answer) && typeof answer.version === "string" ? answer.version : "";
  const [major = 0, minor = 0] = version.slice(0, 20).split(".").map(Number);
  return major > 0 || minor >= 12;
}

function judge(mode: Mode): Finding {
  if (mode === "waits") return found.ok("signal-cli receives only while the gateway listens");
  if (mode === "on-start")
    return found.warn(`signal-cli receives without the gateway: ${LOST}`, `Start it like this: ${START}`);
  return found.ok(`${LOST} unless signal-cli was started with --receive-mode=on-connection (not checked)`);
}

function explain(error: unknown, apiUrl: string): Finding {
  if (error instanceof RestError && error.status === 404) return found.fail(NOT_SIGNAL_CLI);
  return found.fail(
    `signal-cli can't be reached (${reasonOf(error)})`,
    `Start its daemon, and check platforms.signal.api_url (${apiUrl}).`,
  );
}
