import type { InboundMessage, OutboundMessage, Target } from "../message.js";

/** What every platform implements. Optional abilities are separate interfaces below. */
export interface Adapter {
  readonly platform: string;
  /** The bot's own id on the platform. */
  readonly account: string;
  readonly limits: TextLimits;
  /** How long to wait for the rest of a message that the user's client split. Default: don't wait. */
  readonly burst?: Burst;
  /** The platform's rate limits for messages in a chat. */
  pace?(target: Target): ChatPace;
  /** People see the session itself, so a stopped question and its partial answer stay in it. */
  readonly showsSession?: true;
  /** Clients fetch replies from the store, so a stored reply counts as sent. `sendPart` only notifies those that wait. */
  readonly pullsReplies?: true;
  /** The largest file that can be sent. Default: files can't be sent. */
  readonly files?: { maxBytes: number };
  /** No person can answer here: questions are shown and count as unanswered. */
  readonly unattended?: true;
  /**
   * Resolves once messages can arrive, or after a while, when connecting continues in the background.
   * Acknowledges a message to the platform only after the inbox has stored it. Rejects with a HermesError if
   * only the operator can fix it: `refused` by the platform (also logged, and shown by `health`) or
   * `invalid` settings.
   */
  connect(events: AdapterEvents, signal: AbortSignal): Promise<void>;
  disconnect(): Promise<void>;
  health(): Health;
  /**
   * Splits a message into parts, one for each message that the platform will show, in order; empty if there is nothing to
   * send. The same message always gives the same parts: no clock, no network, no files.
   */
  render(message: OutboundMessage): readonly MessagePart[];
  /**
   * Sends one part. Resolves with its platform ids once the platform has accepted it. Rejects with a
   * SendError that says whether it may have arrived. Parts come in order; a part is repeated only after such
   * an error or a crash.
   */
  sendPart(
    message: OutboundMessage,
    part: MessagePart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
}

/**
 * Plain JSON, defined by the adapter. Parts of a multi-part message are stored before the first is sent, so
 * an adapter may get parts that an older version rendered.
 */
export type MessagePart = object;

export interface PartContext {
  index: number;
  /** How many parts the message has. */
  count: number;
  /** The platform's ids of the parts before it. */
  sent: readonly string[];
  /** An earlier attempt at this part may have arrived; the platform couldn't tell. */
  mayBeRepeat: boolean;
  /** The preview message, which the first part replaces. Later parts don't get it. */
  replaces?: string | undefined;
}

export interface Burst {
  /** After any message. Default: don't wait. */
  quietMs?: number;
  /** After a text of at least `longChars`, which may have been split. */
  afterLongMs: number;
  longChars: number;
  /** After a file of an album, because albums arrive file by file. */
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
   * Resolves when the inbox has stored it; acknowledge it to the platform only then. Also resolves for
   * duplicates. Saves the cursor in the same transaction, so nothing before it can be lost.
   */
  receive(message: InboundMessage, cursor?: Cursor): Promise<void>;
  /** The author edited a message. Replaces the text of a pending message; later edits become a note for the agent. */
  edited(edit: MessageEdit): Promise<void>;
  /** The author deleted a message: it is not answered if it is still pending. */
  deleted(message: MessageRef): Promise<void>;
  /** This account's saved cursor of that name (the adapter chooses names); undefined if none was saved. */
  cursor(name: string): Promise<string | undefined>;
  saveCursor(cursor: Cursor): Promise<void>;
  /** A chat has a new id (a group became a supergroup). Its sessions move with it. */
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
  /** The platform's last proof of life (a completed poll, a heartbeat), in epoch seconds. */
  lastProofAt: number | null;
  /** What is wrong and how to fix it. */
  detail?: string;
}

/** Shows an answer while it is written. Previews may be dropped at any time; the answer is sent anyway. */
export interface CanPreview {
  preview(target: Target, turnId: string, text: string): void;
  /** The turn ended without an answer that replaces the preview. */
  dropPreview?(target: Target, turnId: string): void;
}

/** A tool call, for chats that show them. */
export interface ShownCall {
  turnId: string;
  /** Unique within its turn. */
  callId: string;
  tool: string;
  /** JSON, cut if it is long. */
  args: string;
  state: "running" | "done" | "failed";
  /** When it has ended. */
  seconds?: number;
}

/** Shows tool calls in its own way, in addition to the answers. */
export interface CanShowTools {
  /** Called when a call starts and again when it ends. */
  showTool(target: Target, call: ShownCall): void;
}

/** Shows a typing indicator. Called every few seconds. */
export interface CanType {
  type(target: Target): void;
}

/** Shows an unfinished answer as a message that is edited, or as a draft. The caller limits the rate. */
export interface CanStream {
  /**
   * Edits `messageId`, or posts a new message if that is null. Returns the message's id, or null for a draft
   * without an id. Awaits `posting` before it posts, so that the message is recorded first; if that rejects,
   * nothing is posted.
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
  /** The preview that answers this message; null if there is none. Rejects with a SendError if it can't be determined now. */
  findPreview(target: Target, signal: AbortSignal): Promise<string | null>;
}

/** Removes the sign that a message is being processed if there will be no answer. */
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
  /**
   * The question is decided: replaces the message and its buttons with the text, or with its end if it is
   * too long for one message. A missing message is fine. Rejects with a SendError.
   */
  settleQuestion(
    target: Target,
    messageIds: readonly string[],
    text: string,
    signal: AbortSignal,
  ): Promise<void>;
}

/** working: 👀, done: ✅, failed: ❌, or the platform's equivalents. */
export type ReactionState = "working" | "done" | "failed";

/** Shows a message's state as a reaction on it. */
export interface CanReact {
  /** On the message that the target replies to. Replaces our earlier reaction; null removes it. Best effort. */
  react(target: Target, state: ReactionState | null, signal: AbortSignal): Promise<void>;
}

/** The part's platform ids, or unknown if the platform can't tell. */
export type LookedUp = readonly string[] | "missing" | "unknown";

/** Checks whether a part with an unknown send outcome has arrived. */
export interface CanLookUp {
  /** Rejects with a SendError if the check should be retried later. */
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

/** A code to enter, or the text of a QR code to scan, on the operator's phone. */
export type LinkCode = { code: string } | { qr: string };

/** For platforms whose account the operator links with a code. It is a secret until then. */
export interface CanLink {
  /** Undefined: none is asked for at the moment. */
  linkCode(): LinkCode | undefined;
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
export const canLink = (adapter: object): adapter is CanLink => "linkCode" in adapter;
export const canType = (adapter: object): adapter is CanType => "type" in adapter;

export { SendError } from "../errors.js";
