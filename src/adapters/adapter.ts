import type { InboundMessage, OutboundMessage, Receipt, Target } from "../message.js";

/** A platform, as the gateway knows it. What not every platform can do is an ability of its own below. */
export interface Adapter {
  readonly platform: string;
  /** The bot's own id there. */
  readonly account: string;
  readonly limits: TextLimits;
  /** How long to wait for the rest of a message that the user's client split; left out: not at all. */
  readonly burst?: Burst;
  /** How fast messages may follow one another in a chat, where the platform minds. */
  pace?(target: Target): ChatPace;
  /** The largest file that it takes; left out: it takes none. */
  readonly files?: { maxBytes: number };
  /**
   * Resolves once messages can come in, or when that takes long and goes on behind. What the platform is told to be
   * received, the inbox has. Rejects with a HermesError where only a person can help: `refused` by the platform (then the
   * log has its line, and `health` keeps it) or `invalid` settings.
   */
  connect(events: AdapterEvents, signal: AbortSignal): Promise<void>;
  disconnect(): Promise<void>;
  health(): Health;
  /** Resolves when the platform has it. Rejects with a SendError that says whether it may have arrived. */
  send(message: OutboundMessage, signal: AbortSignal): Promise<Receipt>;
}

export interface Burst {
  /** After any message; left out: not at all. */
  quietMs?: number;
  /** After a text of `longChars`, which may have been cut. */
  afterLongMs: number;
  longChars: number;
  /** After a file of an album, whose files come one by one. */
  afterAlbumMs?: number;
}

export interface ChatPace {
  /** The least time between two messages. */
  chatMs?: number;
  /** The most in any minute, edits included. */
  perMinute?: number;
}

export interface TextLimits {
  length: number;
  unit: "codepoint" | "utf16";
}

export interface AdapterEvents {
  /**
   * Resolves when the inbox has it; only then is the platform told. A second copy of an event resolves too. A cursor
   * moves in the same transaction: what it has passed can't be lost.
   */
  receive(message: InboundMessage, cursor?: Cursor): Promise<void>;
  /** The author changed a message. Replaces its text while it waits; later it is noted, never carried out. */
  edited(edit: MessageEdit): Promise<void>;
  /** The author took a message back: it is not answered if it still waits. */
  deleted(message: MessageRef): Promise<void>;
  /** How far this account had come, under a name of the adapter's own; undefined: nothing was stored. */
  cursor(name: string): Promise<string | undefined>;
  saveCursor(cursor: Cursor): Promise<void>;
  /** A chat goes on under another id (a group became a supergroup): its sessions go along. */
  chatMoved(from: string, to: string): Promise<void>;
}

export interface Cursor {
  name: string;
  value: string;
}

export interface MessageRef {
  platform: string;
  account: string;
  chatId: string;
  messageId: string;
}

export interface MessageEdit extends MessageRef {
  text: string;
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
  /** The turn ended, and no answer takes the preview's place. */
  dropPreview?(target: Target, turnId: string): void;
}

/** Shows that an answer is on its way. Called again every few seconds. */
export interface CanType {
  type(target: Target): void;
}

/** Shows an unfinished answer as a message that is edited, or as a draft. Paced by the caller. */
export interface CanStream {
  /**
   * At `messageId`, or as a new message where that is null. Gives the message's id; null: it has none of its own.
   * Before it makes a message it awaits `posting`: that there may be one is noted first. Where that rejects, none is made.
   */
  show(
    target: Target,
    messageId: string | null,
    text: string,
    signal: AbortSignal,
    posting?: () => Promise<void>,
  ): Promise<string | null>;
  /**
   * No answer takes the message's place: the text is all that it will ever say, and without any it is taken away. May be
   * called again. Rejects with a SendError: `refused` where there is no use in trying again.
   */
  breakOff(target: Target, messageId: string, text: string, signal: AbortSignal): Promise<void>;
}

/** Finds an unfinished answer that it showed and whose id was lost. */
export interface CanFindPreview {
  /** In answer to this message; null: there is none. Rejects with a SendError where that can't be told now. */
  findPreview(target: Target, signal: AbortSignal): Promise<string | null>;
}

/** Shows that something is done with a message, and can take that back when nothing will come of it. */
export interface CanDismiss {
  dismiss(target: Target): void;
}

/** Partly: the next attempt must look again before it sends, whichever process makes it. */
export type LookedUp = Receipt | "missing" | "partly" | "unknown";

/** Tells whether a send whose outcome is unknown has arrived. */
export interface CanLookUp {
  lookUp(message: OutboundMessage, signal: AbortSignal): Promise<LookedUp>;
}

/** Platforms with menus of commands. */
export interface CanRegisterCommands {
  registerCommands(commands: readonly MenuCommand[], signal: AbortSignal): Promise<void>;
}

export interface MenuCommand {
  name: string;
  description: string;
  usage?: string;
}

export const canStream = (adapter: object): adapter is CanStream => "show" in adapter;
export const canFindPreview = (adapter: object): adapter is CanFindPreview => "findPreview" in adapter;
export const canDismiss = (adapter: object): adapter is CanDismiss => "dismiss" in adapter;
export const canLookUp = (adapter: object): adapter is CanLookUp => "lookUp" in adapter;
export const canRegisterCommands = (adapter: object): adapter is CanRegisterCommands =>
  "registerCommands" in adapter;
export const canPreview = (adapter: object): adapter is CanPreview => "preview" in adapter;
export const canType = (adapter: object): adapter is CanType => "type" in adapter;

export { SendError } from "../errors.js";
