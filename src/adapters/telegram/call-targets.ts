/** Where a call goes: Telegram's parameters for a target, and what to try instead if the chat or topic is gone. */
import { BoundedMap } from "../../bounded-map.js";
import { SendError } from "../../errors.js";
import type { Target } from "../../message.js";
import { movedTo, noSuchThread, retryAfterMs, sendErrorOf } from "./faults.js";
import { parseChatId, parseMessageId, type ThreadParams, threadParamsOf } from "./ids.js";
import type { RateLimits } from "./rate-limits.js";

export interface CallTarget {
  chatId: number | string;
  thread: ThreadParams;
  replyTo: number | undefined;
  /** The chat has a new id: there, the numbers of its old messages belong to other messages. */
  moved: boolean;
  /** The topic doesn't exist: the message goes to the main chat instead. */
  lostTopic: boolean;
}

export interface CallTargetsParts {
  /** Waits that Telegram asked for after a message. */
  limits: RateLimits;
  /** Waits after drafts and typing indicators: they must not hold up messages. */
  signLimits: RateLimits;
  chatMoved(from: string, to: string): Promise<void>;
  log(message: string, fields: Record<string, unknown>): void;
}

export interface CallKind {
  /** Making the call twice is harmless. */
  repeatable: boolean;
  isDraft?: true;
}

const MESSAGE: CallKind = { repeatable: true };
const MAX_MOVED = 1000;

export class CallTargets {
  readonly #parts: CallTargetsParts;
  readonly #moved = new BoundedMap<string, string>(MAX_MOVED);

  constructor(parts: CallTargetsParts) {
    this.#parts = parts;
  }

  /** Messages for the old chat go to the new one from now on. */
  moved(from: string, to: string): void {
    this.#moved.set(from, to);
  }

  chatIdOf(target: Target): number | string | undefined {
    const known = target.chatId === null ? undefined : this.#moved.get(target.chatId);
    return parseChatId(known ?? target.chatId);
  }

  resolve(target: Target, purpose: "message" | "typing" = "message"): CallTarget {
    const chatId = this.chatIdOf(target);
    if (chatId === undefined) throw new SendError("refused", `Not a Telegram chat id: "${target.chatId}"`);
    const moved = this.#moved.has(target.chatId ?? "");
    const replyTo = moved ? undefined : parseMessageId(target.replyTo);
    return { chatId, thread: threadParamsOf(target.threadId, purpose), replyTo, moved, lostTopic: false };
  }

  /** Makes the call; once more if the chat has moved or a private topic is refused. Rejects with a SendError. */
  async call<T>(target: Target, make: (at: CallTarget) => Promise<T>, kind: CallKind): Promise<T> {
    const at = this.resolve(target);
    this.#checkLimits(at, kind);
    try {
      return await make(at);
    } catch (error) {
      const other = await this.#alternative(target, at, error);
      if (!other) throw this.#sendError(error, at, kind);
      return make(other).catch((again: unknown) => {
        throw this.#sendError(again, other, kind);
      });
    }
  }

  /** Makes a repeatable call, unless the chat has moved: there it would do harm. */
  async callUnlessMoved(target: Target, make: (at: CallTarget) => Promise<unknown>): Promise<void> {
    const at = this.resolve(target);
    if (at.moved) throw new SendError("refused", "The chat has moved");
    this.#checkLimits(at, MESSAGE);
    await make(at).catch((error: unknown) => {
      throw this.#sendError(error, at, MESSAGE);
    });
  }

  mayShowTyping(chatId: number | string): boolean {
    const { limits, signLimits } = this.#parts;
    return limits.leftMs(String(chatId)) === 0 && signLimits.leftMs(String(chatId)) === 0;
  }

  /** A wait that Telegram asked for after a typing indicator. */
  limitSigns(chatId: number | string, waitMs: number): void {
    this.#parts.signLimits.add(String(chatId), waitMs);
  }

  async #alternative(target: Target, at: CallTarget, error: unknown): Promise<CallTarget | undefined> {
    const to = movedTo(error);
    if (to !== undefined) {
      await this.#reportMoved(String(at.chatId), to);
      return { ...at, chatId: Number(to), replyTo: undefined, moved: true };
    }
    if (!noSuchThread(error) || target.chatType !== "dm") return undefined;
    this.#parts.log("Telegram refuses a private topic: answering in the main chat", {
      chatId: target.chatId,
    });
    return { ...at, thread: {}, lostTopic: true };
  }

  /** Remembered only after the gateway has stored it: otherwise it would never learn of it. */
  async #reportMoved(from: string, to: string): Promise<void> {
    await this.#parts.chatMoved(from, to).catch((cause: unknown) => {
      throw new SendError("never_sent", "The chat has a new id, and the gateway could not store it", {
        cause,
      });
    });
    this.moved(from, to);
  }

  /** Messages wait for the limits of messages; drafts for both. */
  #checkLimits({ chatId }: CallTarget, { isDraft }: CallKind): void {
    const { limits, signLimits } = this.#parts;
    limits.check(String(chatId));
    if (isDraft) signLimits.check(String(chatId));
  }

  #sendError(error: unknown, { chatId }: CallTarget, { repeatable, isDraft }: CallKind): SendError {
    const { limits, signLimits } = this.#parts;
    const waitMs = retryAfterMs(error);
    const affected = isDraft ? signLimits : limits;
    const scope = waitMs === undefined ? "chat" : affected.add(String(chatId), waitMs);
    return sendErrorOf(error, { repeatable, scope });
  }
}
