/** An emulated platform in a storm: where people write, what they see, and what can go wrong on the way. */
import type { Random } from "../../bench/random.js";

export const FAULTS = [
  /** An event comes twice. */
  "duplicate",
  /** Events come in another order than they happened. */
  "reorder",
  /** The platform is unreachable for a while. */
  "outage",
  /** Open connections are cut, sessions are forgotten. */
  "disconnect",
  "rate limit",
  /** The platform takes a message, and the connection is cut before it says so. */
  "unknown send",
  /** The connection is cut before the platform looks, or a proxy answers in its place. */
  "failed send",
] as const;
export type FaultKind = (typeof FAULTS)[number];

/** These last as long as the messages of their round; the others are over at once or after a time of their own. */
export const DURING_A_ROUND: readonly FaultKind[] = ["duplicate", "reorder"];

export interface Place {
  name: string;
  people: number;
  /** Gives the conversation to which it belongs: within one, answers come in order. */
  say(person: number, text: string): string;
  /** What the bot has written there, oldest first. */
  seen(): Visible[];
}

export interface Visible {
  text: string;
  /** Epoch milliseconds. */
  atMs: number;
}

export interface Platform {
  readonly name: string;
  /** For `platforms:` in config.yaml. */
  readonly config: string;
  readonly places: readonly Place[];
  /** A text of this length fills more than one message. */
  readonly longChars: number;
  /** Tokens of messages that the service dropped, as the real one does. Counted as documented where the description says so. */
  droppedTokens?(): readonly string[];
  /** Its events are numbered, so their order is known however they arrive. */
  readonly numbersEvents: boolean;
  /** For platforms that call the gateway: where its HTTP port is. */
  gatewayAt?(url: string): void;
  /** Gives what ends it. */
  begin(fault: FaultKind, random: Random): Promise<EndFault> | EndFault;
  /** Ends all faults. */
  calm(): Promise<void>;
  /** Faults that were switched on and never took effect. */
  readonly unmet: Partial<Record<FaultKind, number>>;
  /** When it took requests to which it gave no answer. */
  unansweredAtMs(): number[];
  close(): Promise<void>;
}

export type EndFault = () => Promise<void> | void;

export const nothing: EndFault = () => {};

/** Scripted faults that wait for the next send: the first to be switched on is the first to be met. */
export class Armed {
  readonly #kinds: FaultKind[] = [];

  add(kind: FaultKind): EndFault {
    this.#kinds.push(kind);
    return nothing;
  }

  /** The last `count` of them were not met. */
  last(count: number): Partial<Record<FaultKind, number>> {
    const counts: Partial<Record<FaultKind, number>> = {};
    for (const kind of count === 0 ? [] : this.#kinds.slice(-count)) counts[kind] = (counts[kind] ?? 0) + 1;
    return counts;
  }
}
