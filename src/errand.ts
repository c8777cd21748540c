/**
 * A message that nobody typed in a chat: a schedule's, a webhook's. It is never a command, nobody watches its answer
 * grow, and what comes of it goes where the errand says.
 */
import type { Principal, Target } from "./message.js";
import type { EndReason } from "./session.js";

export interface Errand {
  /** Where the answer goes; left out: back to where the message came from. */
  target?: Target;
  /** What it is called, for whoever is told that it failed. */
  name?: string;
  /** Stands above the answer. */
  heading?: string;
  /** On whose behalf: their rights, their memory. Left out: as the message's origin says. */
  principal?: Principal;
  /** Its session has one turn and ends with it, for this reason. */
  end?: EndReason;
  /** A failure was told already, the last time. */
  failsQuietly?: true;
  /** Which run of which schedule it is: noted, and the schedule moved on, in the transaction that accepts it. */
  run?: ScheduledRun;
}

export interface ScheduledRun {
  scheduleId: string;
  /** The moment it was due. Epoch seconds. */
  tick: number;
  /** When it is due next; null: never again. */
  nextAt: number | null;
  /** Somebody wanted it now: when it is due next stays as it is. */
  manual?: true;
}

/** An answer, as its errand wants it said. */
export function underHeading(errand: Errand | undefined, text: string): string {
  return errand?.heading ? `${errand.heading}\n\n${text}` : text;
}

/** A failure: people in a chat are told what to do, an errand's target what has happened. Nobody is told twice. */
export function failureWords(errand: Errand | undefined, notice: string): string | undefined {
  if (!errand) return notice;
  return errand.failsQuietly ? undefined : `⚠️ ${errand.name ?? "A run"} failed: ${notice}`;
}

const SILENT = new Set(["[silent]", "silent", "no_reply", "no reply"]);

/** An agent may choose to say nothing: that is kept, and not sent. In an errand one word of it is enough. */
export function isSilence(answer: string, errand?: Errand): boolean {
  const words = answer.trim().toLowerCase();
  return SILENT.has(words) || (errand !== undefined && words.includes("[silent]"));
}
