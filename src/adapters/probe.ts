import type { Finding } from "../finding.js";

/** A platform's verdict on a bot's settings. Probing doesn't disturb a running gateway: no poll, no socket. */
export interface Probe {
  /** The bot's identity; left out if the platform didn't tell. */
  bot?: { id: string; name: string };
  findings: Finding[];
}

export interface ProbeOptions {
  /** A gateway runs with these settings now. */
  running: boolean;
  signal: AbortSignal;
}

/** For platforms that keep something in the home. */
export interface HomeProbeOptions extends ProbeOptions {
  home: string;
}

/** A probe of one bot, on any platform. */
export interface BotProbe {
  platform: string;
  /** The platform's name, or the account's under `accounts`. */
  name: string;
  probe(options: HomeProbeOptions): Promise<Probe>;
}

export const PROBE_CALL_MS = 10_000;
