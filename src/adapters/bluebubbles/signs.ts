/** Typing, read receipts and tapbacks. All need the Private API; without it they do nothing. */
import { BoundedMap } from "../../bounded-map.js";
import type { Target } from "../../message.js";
import type { ReactionState } from "../adapter.js";
import type { BlueBubblesApi } from "./api.js";
import type { Chats } from "./chats.js";
import type { Settings } from "./config.js";
import { sendErrorOf } from "./faults.js";
import { isGuid } from "./ids.js";

export interface SignParts {
  api: BlueBubblesApi;
  settings: Settings;
  chats: Chats;
  signal: AbortSignal;
  hasPrivateApi(): boolean;
}

const TYPING_EVERY_MS = 8000;
const MAX_REMEMBERED = 1000;
/** iMessage has six tapbacks, and replaces the earlier one of the same person. */
const TAPBACKS: Readonly<Record<ReactionState, string>> = {
  working: "emphasize",
  done: "like",
  failed: "dislike",
};

export class Signs {
  readonly #parts: SignParts;
  readonly #typedAtMs = new BoundedMap<string, number>(MAX_REMEMBERED);
  readonly #tapbacks = new BoundedMap<string, string>(MAX_REMEMBERED);

  constructor(parts: SignParts) {
    this.#parts = parts;
  }

  /** Also marks the chat as read. Failures are harmless. */
  type(target: Target): void {
    const { api, chats, signal, settings, hasPrivateApi } = this.#parts;
    const guid = chats.known(target);
    const now = performance.now();
    if (!hasPrivateApi() || !isGuid(guid)) return;
    if (now - (this.#typedAtMs.get(guid) ?? Number.NEGATIVE_INFINITY) < TYPING_EVERY_MS) return;
    this.#typedAtMs.set(guid, now);
    if (settings.readReceipts) api.read(guid, signal).catch(() => undefined);
    api.typing(guid, true, signal).catch(() => undefined);
  }

  /** The sign stays until a message follows, or this. */
  dismiss(target: Target): void {
    const { api, chats, signal } = this.#parts;
    const guid = chats.known(target);
    if (guid === undefined || !this.#typedAtMs.delete(guid)) return;
    api.typing(guid, false, signal).catch(() => undefined);
  }

  async react(target: Target, state: ReactionState | null, signal: AbortSignal): Promise<void> {
    const { api, chats, hasPrivateApi } = this.#parts;
    const { replyTo } = target;
    const guid = chats.known(target);
    if (!hasPrivateApi() || !isGuid(replyTo) || guid === undefined) return;
    const earlier = this.#tapbacks.get(replyTo);
    const tapback = state === null ? earlier && `-${earlier}` : TAPBACKS[state];
    if (tapback === undefined) return;
    try {
      await api.react(guid, replyTo, tapback, signal);
    } catch (error) {
      throw sendErrorOf(error);
    }
    if (state === null) this.#tapbacks.delete(replyTo);
    else this.#tapbacks.set(replyTo, TAPBACKS[state]);
  }
}
