import type { Finding } from "../finding.js";

/** What a platform says of a bot's settings. Asking disturbs nobody who runs with them: no poll, no socket. */
export interface Probe {
  /** Who the bot is there; left out where the platform didn't say. */
  bot?: { id: string; name: string };
  findings: Finding[];
}

export interface ProbeOptions {
  /** A gateway runs with these settings: what it does at this moment need not be tried. */
  running: boolean;
  signal: AbortSignal;
}

/** Of a bot's settings, whichever platform it is on. */
export interface BotProbe {
  platform: string;
  /** The platform's name, or the account's under `accounts`. */
  name: string;
  probe(options: ProbeOptions): Promise<Probe>;
}

export const PROBE_CALL_MS = 10_000;
