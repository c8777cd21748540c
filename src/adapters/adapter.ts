import type { InboundMessage, OutboundMessage, Target } from "../message.js";

/** A platform, as the gateway sees it. Abilities that not every platform has are separate interfaces below. */
export interface Adapter {
  readonly platform: string;
  /** The bot's own id on the platform. */
  readonly account: string;
  readonly limits: TextLimits;
  /** How long to wait for the rest of a message that the user's client split; left out: don't wait. */
  readonly burst?: Burst;
  /** The platform's rate limits for messages in a chat. */
  pace?(target: Target): ChatPace;
  /** People see the session itself: what was asked and written before a stop stays in it. */
  readonly showsSession?: true;
  /** The largest file that can be sent; left out: files can't be sent. */
  readonly files?: { maxBytes: number };
  /**
   * Resolves once messages can come in, or when that takes long and continues in the background. A message is acknowledged
   * to the platform only when the inbox has it. Rejects with a HermesError if only the operator can help: `refused` by the
   * platform (also logged, and shown by `health`) or `invalid` settings.
   */
  connect(events: AdapterEvents, signal: AbortSignal): Promise<void>;
  disconnect(): Promise<void>;
  health(): Health;
  /**
   * Splits a message into parts, one for each message that the platform will show, in order; empty: there is nothing to
   * send. The same message always gives the same parts: no clock, no network, no files.
   */
  render(message: OutboundMessage): readonly MessagePart[];
  /**
   * Sends one part. Resolves with the platform's ids of it when the platform has it. Rejects with a SendError that tells
   * whether it may have arrived. Parts come in order, and a part is called again only after such an error or a crash.
   */
  sendPart(
    message: OutboundMessage,
    part: MessagePart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
}

/**
 * Plain JSON that the adapter defines. Parts of a message that has several are stored before the first is sent, so an
 * adapter may get parts that an older version of it rendered.
 */
export type MessagePart = object;

export interface PartContext {
  index: number;
  /** How many parts the message has. */
  count: number;
  /** The platform's ids of the parts before it. */
  sent: readonly string[];
  /** An earlier attempt at this part may have arrived, and it could not be found out. */
  mayBeRepeat: boolean;
  /** The message that previewed the answer. The first part takes its place; later parts don't get it. */
  replaces?: string | undefined;
}

export interface Burst {
  /** After any message; left out: don't wait. */
  quietMs?: number;
  /** After a text of at least `longChars`, which may have been split. */
  afterLongMs: number;
  longChars: number;
  /** After a file of an album: albums come file by file. */
  afterAlbumMs?: number;
}

export interface ChatPace {
  /** Minimum time between two messages. */
  chatMs?: number;
  /** Maximum in any minute, including edits. */
  perMinute?: number;
}

export interface TextLimits {
  length: number;
  unit: "codepoint" | "utf16";
}

export interface AdapterEvents {
  /**
   * Resolves when the inbox has it; acknowledge it to the platform only then. Resolves for a duplicate too. The cursor is
   * saved in the same transaction, so nothing before it can be lost.
   */
  receive(message: InboundMessage, cursor?: Cursor): Promise<void>;
  /** The author edited a message. Replaces the text of a pending message; later edits become a note for the agent. */
  edited(edit: MessageEdit): Promise<void>;
  /** The author deleted a message: it is not answered if it is still pending. */
  deleted(message: MessageRef): Promise<void>;
  /** This account's saved cursor of that name (the adapter chooses names); undefined: none was saved. */
  cursor(name: string): Promise<string | undefined>;
  saveCursor(cursor: Cursor): Promise<void>;
  /** A chat has a new id (a group became a supergroup): its sessions move along. */
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
  /** Time of the platform's last sign of life: a completed poll, a heartbeat. Epoch seconds. */
  lastProofAt: number | null;
  /** What is wrong and what to do. */
  detail?: string;
}

/** Shows an answer while it is written. Previews may be dropped at any time; the answer is sent anyway. */
export interface CanPreview {
  preview(target: Target, turnId: string, text: string): void;
  /** The turn ended without an answer that replaces the preview. */
  dropPreview?(target: Target, turnId: string): void;
}

/** A call of a tool, for a chat that shows it. */
export interface ShownCall {
  turnId: string;
  /** Unique within its turn. */
  callId: string;
  tool: string;
  /** JSON, the beginning of it if it is long. */
  args: string;
  state: "running" | "done" | "failed";
  /** When it has ended. */
  seconds?: number;
}

/** Shows the calls of tools by its own means, beside the answers. */
export interface CanShowTools {
  /** When a call starts, and again when it ends. */
  showTool(target: Target, call: ShownCall): void;
}

/** Shows that an answer is being written. Called every few seconds. */
export interface CanType {
  type(target: Target): void;
}

/** Shows an unfinished answer as a message that is edited, or as a draft. The caller limits the rate. */
export interface CanStream {
  /**
   * Edits `messageId`, or posts a new message if that is null. Returns the message's id; null: a draft without an id. Awaits
   * `posting` before it posts, so that the possible message is recorded first; if that rejects, nothing is posted.
   */
  show(
    target: Target,
    messageId: string | null,
    text: string,
    signal: AbortSignal,
    posting?: () => Promise<void>,
  ): Promise<string | null>;
  /**
   * No answer will replace the preview: leaves the text as its final state, or deletes it if the text is empty. May be called
   * again. Rejects with a SendError; `refused` means that a retry is useless.
   */
  abandon(target: Target, messageId: string, text: string, signal: AbortSignal): Promise<void>;
}

/** Finds a preview whose id was lost. */
export interface CanFindPreview {
  /** The preview that answers this message; null: there is none. Rejects with a SendError if it can't be determined now. */
  findPreview(target: Target, signal: AbortSignal): Promise<string | null>;
}

/** Removes the sign that a message is being processed when there will be no answer. */
export interface CanDismiss {
  dismiss(target: Target): void;
}

/**
 * Shows the choices of `OutboundMessage.question` as buttons below the last part. A press arrives as an `InboundMessage` with
 * `choice`, through `receive` like any other message.
 */
export interface CanAsk {
  /** Questions with more choices are sent as a numbered list. */
  readonly maxChoices: number;
  /** No person can answer here: the question is shown, and counts as unanswered. */
  readonly unattended?: true;
  /**
   * The question is decided: the text takes the place of the message with the buttons; the end of a text that is too long
   * for one message. A message that is gone is fine. Rejects with a SendError.
   */
  settleQuestion(
    target: Target,
    messageIds: readonly string[],
    text: string,
    signal: AbortSignal,
  ): Promise<void>;
}

/** working: 👀, done: ✅, failed: ❌, or what the platform has instead of them. */
export type ReactionState = "working" | "done" | "failed";

/** Shows what becomes of a message with a reaction on it. */
export interface CanReact {
  /** On the message that the target replies to. Takes the place of our earlier reaction; null removes it. Best effort. */
  react(target: Target, state: ReactionState | null, signal: AbortSignal): Promise<void>;
}

/** The platform's ids of the part; unknown: it can't be found out. */
export type LookedUp = readonly string[] | "missing" | "unknown";

/** Finds out whether a part whose send had an unknown outcome has arrived. */
export interface CanLookUp {
  /** Rejects with a SendError if it can't be found out now, but later. */
  lookUp(
    message: OutboundMessage,
    part: MessagePart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<LookedUp>;
}

/** For platforms with a menu of commands. */
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
export const canAsk = (adapter: object): adapter is CanAsk => "settleQuestion" in adapter;
export const canReact = (adapter: object): adapter is CanReact => "react" in adapter;
export const canPreview = (adapter: object): adapter is CanPreview => "preview" in adapter;
export const canShowTools = (adapter: object): adapter is CanShowTools => "showTool" in adapter;
export const canType = (adapter: object): adapter is CanType => "type" in adapter;

export { SendError } from "../errors.js";
