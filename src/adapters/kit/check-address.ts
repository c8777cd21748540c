import { type Finding, found } from "../../finding.js";
import { PROBE_CALL_MS } from "../probe.js";
import { UNAUTHORIZED } from "./webhook-route.js";

/** Calls our webhook without credentials. If the rejection has our own text, the address reaches this gateway. */
export async function checkAddress(address: string, signal: AbortSignal): Promise<Finding> {
  const fix = "Make the proxy forward this path to the gateway's HTTP port (http.host, http.port).";
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(PROBE_CALL_MS)]);
    const answer = await fetch(address, { method: "POST", body: "", redirect: "manual", signal: limit });
    const isOurs = answer.status === 401 && (await answer.text()) === UNAUTHORIZED;
    if (isOurs) return found.ok(`the gateway answers at ${address}`);
    return found.fail(`another server answers at ${address} (HTTP ${answer.status})`, fix);
  } catch {
    // Inconclusive: some networks can't reach their own public address.
    return found.warn(`${address} can't be reached from here`, fix);
  }
}
