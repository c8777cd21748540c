import type { InboundMessage, OutboundMessage, Receipt, Target } from "../message.js";

/** A platform, as the gateway knows it. What not every platform can do is an ability of its own below. */
export interface Adapter {
  readonly platform: string;
  /** The bot's own id there. */
  readonly account: string;
  readonly limits: TextLimits;
  /** How long to wait for the rest of a message that the user's client split; left out: not at all. */
  readonly burst?: { quietMs: number; afterLongMs: number; longChars: number };
  /** Resolves once messages can come in. What the platform is told to be received, the inbox has. */
  connect(events: AdapterEvents, signal: AbortSignal): Promise<void>;
  disconnect(): Promise<void>;
  health(): Health;
  /** Resolves when the platform has it. Rejects with a SendError that says whether it may have arrived. */
  send(message: OutboundMessage, signal: AbortSignal): Promise<Receipt>;
}

export interface TextLimits {
  length: number;
  unit: "codepoint" | "utf16";
}

export interface AdapterEvents {
  /** Resolves when the inbox has it; only then is the platform told. A second copy of an event resolves too. */
  receive(message: InboundMessage): Promise<void>;
}

export interface Health {
  state: "ok" | "degraded" | "down";
  /** When the platform last proved that it hears us: a completed poll, a heartbeat. Epoch seconds. */
  lastProofAt: number | null;
  /** What is wrong and what to do. */
  detail?: string;
}

/** Shows an answer while it is written. Previews may be dropped at any time; the answer itself is sent all the same. */
export interface CanPreview {
  preview(target: Target, turnId: string, text: string): void;
}

/** Shows that an answer is on its way. Called again every few seconds. */
export interface CanType {
  type(target: Target): void;
}

export const canPreview = (adapter: object): adapter is CanPreview => "preview" in adapter;
export const canType = (adapter: object): adapter is CanType => "type" in adapter;

export { SendError } from "../errors.js";
