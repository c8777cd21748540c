/** Where a call goes: Telegram's parameters for a target, and what to try instead when Telegram says "not there". */

import { SendError } from "../../errors.js";
import type { Target } from "../../message.js";
import { movedTo, noSuchThread, retryAfterMs, sendErrorOf } from "./faults.js";
import type { Floods } from "./floods.js";
import { type Place, parseChatId, parseMessageId, placeOf } from "./ids.js";

export interface Spot {
  chatId: number | string;
  place: Place;
  replyTo: number | undefined;
  /** The chat is another one now: numbers of its old messages mean others there. */
  moved: boolean;
  /** The topic is not there: the main chat is where it is said instead. */
  lostTopic: boolean;
}

export interface PlacesParts {
  /** Waits that Telegram asked for after a message. */
  floods: Floods;
  /** Those it asked for after a draft or a typing sign: they must not hold up messages. */
  signFloods: Floods;
  chatMoved(from: string, to: string): Promise<void>;
  log(message: string, fields: Record<string, unknown>): void;
}

export interface CallKind {
  /** Making the call twice does no harm. */
  repeatable: boolean;
  isDraft?: true;
}

const MESSAGE: CallKind = { repeatable: true };
const MOST_MOVED = 1000;

export class Places {
  readonly #parts: PlacesParts;
  readonly #moved = new Map<string, string>();

  constructor(parts: PlacesParts) {
    this.#parts = parts;
  }

  /** Messages that still name the old chat go to the new one. */
  moved(from: string, to: string): void {
    this.#moved.set(from, to);
    if (this.#moved.size > MOST_MOVED) this.#moved.delete(this.#moved.keys().next().value!);
  }

  chatIdOf(target: Target): number | string | undefined {
    const known = target.chatId === null ? undefined : this.#moved.get(target.chatId);
    return parseChatId(known ?? target.chatId);
  }

  spotOf(target: Target, purpose: "message" | "typing" = "message"): Spot {
    const chatId = this.chatIdOf(target);
    if (chatId === undefined) throw new SendError("refused", `Telegram knows no chat "${target.chatId}"`);
    const moved = this.#moved.has(target.chatId ?? "");
    const replyTo = moved ? undefined : parseMessageId(target.replyTo);
    return { chatId, place: placeOf(target.threadId, purpose), replyTo, moved, lostTopic: false };
  }

  /** Makes the call; once more where the chat has moved or a private topic is refused. Rejects with a SendError. */
  async at<T>(target: Target, call: (spot: Spot) => Promise<T>, kind: CallKind): Promise<T> {
    const spot = this.spotOf(target);
    this.#check(spot, kind);
    try {
      return await call(spot);
    } catch (error) {
      const other = await this.#instead(target, spot, error);
      if (!other) throw this.#classed(error, spot, kind);
      return call(other).catch((again: unknown) => {
        throw this.#classed(again, other, kind);
      });
    }
  }

  /** Makes a call that would do harm in another chat, and no harm twice. */
  async onlyAt(target: Target, call: (spot: Spot) => Promise<unknown>): Promise<void> {
    const spot = this.spotOf(target);
    if (spot.moved) throw new SendError("refused", "The chat has moved");
    this.#check(spot, MESSAGE);
    await call(spot).catch((error: unknown) => {
      throw this.#classed(error, spot, MESSAGE);
    });
  }

  /** Whether a typing sign is welcome there now. */
  isOpenForSigns(chatId: number | string): boolean {
    const { floods, signFloods } = this.#parts;
    return floods.leftMs(String(chatId)) === 0 && signFloods.leftMs(String(chatId)) === 0;
  }

  async #instead(target: Target, spot: Spot, error: unknown): Promise<Spot | undefined> {
    const to = movedTo(error);
    if (to !== undefined) {
      await this.#tellMoved(String(spot.chatId), to);
      return { ...spot, chatId: Number(to), replyTo: undefined, moved: true };
    }
    if (!noSuchThread(error) || target.chatType !== "dm") return undefined;
    this.#parts.log("Telegram refuses a private topic: answering in the main chat", {
      chatId: target.chatId,
    });
    return { ...spot, place: {}, lostTopic: true };
  }

  /** Remembered only when the gateway knows: else it would never be told. */
  async #tellMoved(from: string, to: string): Promise<void> {
    await this.#parts.chatMoved(from, to).catch((cause: unknown) => {
      throw new SendError("never_sent", "The chat has a new id, and the gateway could not note it", {
        cause,
      });
    });
    this.moved(from, to);
  }

  /** Messages wait for the messages before them; drafts wait for both. */
  #check({ chatId }: Spot, { isDraft }: CallKind): void {
    const { floods, signFloods } = this.#parts;
    floods.check(String(chatId));
    if (isDraft) signFloods.check(String(chatId));
  }

  #classed(error: unknown, { chatId }: Spot, { repeatable, isDraft }: CallKind): SendError {
    const { floods, signFloods } = this.#parts;
    const waitMs = retryAfterMs(error);
    const noted = isDraft ? signFloods : floods;
    const scope = waitMs === undefined ? "chat" : noted.note(String(chatId), waitMs);
    return sendErrorOf(error, { repeatable, scope });
  }
}
