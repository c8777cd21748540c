/** Checks the address, the token and the watched entities for `hermes doctor` and setup. Opens no socket. */
import { type Finding, found } from "../../finding.js";
import { withoutTrailing } from "../../trailing.js";
import { PROBE_CALL_MS, type Probe, type ProbeOptions } from "../probe.js";
import { HomeAssistantApi, isUnauthorized, reasonOf, TOKEN_FAULT, TOKEN_FIX } from "./api.js";
import { type EntityState, isWatched, type Watched, watchesNothing } from "./normalise.js";

export interface ProbedBot {
  token: string;
  apiUrl: string;
  watch: Watched;
}

const SHOWN = 5;
const FIX = "Set platforms.homeassistant.watch_entities or platforms.homeassistant.watch_domains.";

export async function probeHomeAssistant(bot: ProbedBot, { signal }: ProbeOptions): Promise<Probe> {
  const { token, apiUrl, watch } = bot;
  const api = new HomeAssistantApi({
    apiUrl: withoutTrailing(apiUrl, "/"),
    token,
    timeoutMs: PROBE_CALL_MS,
  });
  try {
    await api.check(signal);
    const states = await api.states(signal);
    const host = new URL(apiUrl).host;
    const findings = [found.ok(`Home Assistant at ${host} accepts the token`), ...judge(states, watch)];
    return { bot: { id: host, name: host }, findings };
  } catch (error) {
    return { findings: [explain(error, apiUrl)] };
  }
}

function judge(states: readonly EntityState[], watch: Watched): Finding[] {
  if (watchesNothing(watch)) return [found.warn("no entity is watched, so no changes are reported", FIX)];
  const watched = states.filter(({ entityId }) => isWatched(entityId, watch)).length;
  const missing = watch.entities.filter((id) => !states.some(({ entityId }) => entityId === id));
  const count = watched > 0 ? [found.ok(`${watched} of ${states.length} entities are watched`)] : [];
  if (missing.length > 0) {
    const names = missing.slice(0, SHOWN).join(", ");
    return [...count, found.warn(`Home Assistant doesn't have: ${names}`, `Check the names. ${FIX}`)];
  }
  return watched > 0 ? count : [found.warn("no entity is in a watched domain", FIX)];
}

function explain(error: unknown, apiUrl: string): Finding {
  if (isUnauthorized(error)) return found.fail(TOKEN_FAULT, `${TOKEN_FIX}.`);
  return found.fail(
    `Home Assistant can't be reached (${reasonOf(error)})`,
    `Check the network and platforms.homeassistant.api_url (${apiUrl}).`,
  );
}
