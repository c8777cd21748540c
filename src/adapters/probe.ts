import type { Finding } from "../finding.js";

/** The result of checking a bot's settings with its platform. Doesn't disturb a running gateway: no poll, no socket. */
export interface Probe {
  /** The bot's identity, if the platform told us. */
  bot?: { id: string; name: string };
  findings: Finding[];
}

export interface ProbeOptions {
  /** A gateway is running with these settings. */
  running: boolean;
  signal: AbortSignal;
}

/** For platforms that store something in the home. */
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
