/** Options of the Home Assistant adapter and their defaults. */
import type { BackoffLimits } from "../../backoff.js";
import { HermesError } from "../../errors.js";
import { withoutTrailing } from "../../trailing.js";
import type { PlatformLog } from "../platform.js";
import type { Watched } from "./normalise.js";

export interface HomeAssistantOptions {
  /** A long-lived access token. */
  token: string;
  /** The address of Home Assistant, without `/api`. */
  apiUrl: string;
  /** Identifies this account in the inbox and the outbox. Must not change. */
  account?: string;
  watch?: Partial<Watched>;
  /** Also report that an entity becomes unavailable or unknown, and that it is back. */
  watchUnavailable?: boolean;
  /** After a report about an entity, its further changes are summed up for so long. */
  cooldownSeconds?: number;
  /** Each answer replaces the one before it. */
  oneNotification?: boolean;
  /** Never gets the token. */
  log?: PlatformLog;
  timing?: Partial<Timing>;
}

export interface Timing {
  callMs: number;
  /** From opening a socket to the subscription. */
  openMs: number;
  /** Silence before Home Assistant is pinged. */
  pingMs: number;
  /** A socket that stayed open this long counts as good. */
  stableMs: number;
  closeMs: number;
  backoff: BackoffLimits;
  /** Delay after the inbox refused a message. */
  receiveRetry: BackoffLimits;
  /** Delay between attempts with a token that was refused. */
  refusedMs: number;
  /** How long `connect` waits before it continues in the background. */
  patienceMs: number;
  /** Interval between checks of changes that wait for the end of a cooldown. */
  sweepMs: number;
}

const DEFAULT_TIMING: Timing = {
  callMs: 15_000,
  openMs: 20_000,
  pingMs: 30_000,
  stableMs: 10_000,
  closeMs: 500,
  backoff: { firstMs: 1000, maxMs: 60_000 },
  receiveRetry: { firstMs: 200, maxMs: 30_000 },
  refusedMs: 300_000,
  patienceMs: 15_000,
  sweepMs: 1000,
};

export interface Settings extends Required<Omit<HomeAssistantOptions, "timing" | "watch">> {
  watch: Watched;
  timing: Timing;
}

export function settingsOf(options: HomeAssistantOptions): Settings {
  if (!URL.canParse(options.apiUrl))
    throw new HermesError("invalid", "The address of Home Assistant can't be read", {
      hint: "Set HASS_URL to an address such as http://homeassistant.local:8123.",
    });
  return {
    token: options.token,
    apiUrl: withoutTrailing(options.apiUrl, "/"),
    account: options.account ?? "homeassistant",
    watch: { domains: [], entities: [], ignored: [], all: false, ...options.watch },
    watchUnavailable: options.watchUnavailable ?? false,
    cooldownSeconds: options.cooldownSeconds ?? 30,
    oneNotification: options.oneNotification ?? false,
    log: options.log ?? (() => undefined),
    timing: { ...DEFAULT_TIMING, ...options.timing },
  };
}
