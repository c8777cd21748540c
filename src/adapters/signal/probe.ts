/** Checks signal-cli for `hermes doctor` and setup. Opens no stream: that would take messages away. */
import { type Finding, found } from "../../finding.js";
import { withoutTrailing } from "../../trailing.js";
import { isRecord, RestError } from "../kit/rest.js";
import { PROBE_CALL_MS, type Probe, type ProbeOptions } from "../probe.js";
import { reasonOf, SignalApi, UNKNOWN_ACCOUNT } from "./api.js";

export interface ProbedBot {
  number: string;
  apiUrl: string;
}

export async function probeSignal({ number, apiUrl }: ProbedBot, { signal }: ProbeOptions): Promise<Probe> {
  const api = new SignalApi({ apiUrl: withoutTrailing(apiUrl, "/"), number, timeoutMs: PROBE_CALL_MS });
  try {
    await api.check(signal);
    const accounts = await api.rpc("listAccounts", {}, { signal }).catch(() => undefined);
    const known = Array.isArray(accounts) ? accounts.filter(isRecord).map((one) => one.number) : undefined;
    if (known && !known.includes(number)) return { findings: [found.fail(UNKNOWN_ACCOUNT)] };
    return { bot: { id: number, name: number }, findings: [found.ok(`is ${number}`), mode()] };
  } catch (error) {
    return { findings: [explain(error, apiUrl)] };
  }
}

/** signal-cli doesn't say how it was started. */
function mode(): Finding {
  return found.warn(
    "messages are lost while the gateway is down unless signal-cli was started with --receive-mode=on-connection",
    "Start it so: signal-cli -a NUMBER daemon --http 127.0.0.1:8080 --receive-mode=on-connection",
  );
}

function explain(error: unknown, apiUrl: string): Finding {
  if (error instanceof RestError && error.status === 404)
    return found.fail(
      "this is no signal-cli daemon: it has no /api/v1/check",
      "Use signal-cli's own daemon (signal-cli daemon --http); the rest-api container has no event stream.",
    );
  return found.fail(
    `signal-cli can't be reached (${reasonOf(error)})`,
    `Start its daemon, and check platforms.signal.api_url (${apiUrl}).`,
  );
}
