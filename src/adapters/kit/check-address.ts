import { type Finding, found } from "../../finding.js";
import { PROBE_CALL_MS } from "../probe.js";
import { UNAUTHORIZED } from "./webhook-route.js";

/** Calls our webhook without a secret or a signature: if the refusal has our own text, our server answers there. */
export async function checkAddress(address: string, signal: AbortSignal): Promise<Finding> {
  const fix = "Let the proxy pass this path on to the gateway's HTTP port (http.host, http.port).";
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(PROBE_CALL_MS)]);
    const answer = await fetch(address, { method: "POST", body: "", redirect: "manual", signal: limit });
    const isOurs = answer.status === 401 && (await answer.text()) === UNAUTHORIZED;
    if (isOurs) return found.ok(`the gateway answers at ${address}`);
    return found.fail(`another server answers at ${address} (HTTP ${answer.status})`, fix);
  } catch {
    // Some networks can't reach their own public address, so this proves nothing.
    return found.warn(`${address} can't be reached from here`, fix);
  }
}
