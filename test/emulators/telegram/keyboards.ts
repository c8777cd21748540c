/** Buttons below messages: Telegram's checks, and a person's press. */
import { randomInt } from "node:crypto";
import { ApiError, type Keyboard, type Payload, type Person, type SeenMessage } from "./types.js";

const MAX_DATA_BYTES = 64;
const MAX_BUTTONS = 100;

/** The inline keyboard of a call; undefined: it has none. */
export function keyboardOf(payload: Payload): Keyboard | undefined {
  const rows = (payload.reply_markup as { inline_keyboard?: Keyboard } | undefined)?.inline_keyboard;
  if (!rows || rows.flat().length === 0) return undefined;
  if (rows.flat().length > MAX_BUTTONS) throw new ApiError(400, "Bad Request: REPLY_MARKUP_TOO_LONG");
  for (const { text, callback_data: data } of rows.flat()) {
    if (typeof text !== "string" || text.trim() === "")
      throw new ApiError(400, "Bad Request: can't parse inline keyboard button: text must be non-empty");
    const bytes = Buffer.byteLength(data ?? "");
    if (bytes < 1 || bytes > MAX_DATA_BYTES) throw new ApiError(400, "Bad Request: BUTTON_DATA_INVALID");
  }
  return rows;
}

/** The queries that a bot may still answer. */
export class Presses {
  readonly #open = new Set<string>();
  /** Ids of the answered ones. */
  readonly answered: string[] = [];

  /** A `callback_query` without its message. */
  press(seen: SeenMessage, button: string, from: Person) {
    const buttons = seen.keyboard?.flat() ?? [];
    const found = buttons.find(({ text, callback_data: data }) => text === button || data === button);
    if (!found) throw new Error(`Message ${seen.id} has no button "${button}"`);
    const id = String(randomInt(2 ** 47));
    this.#open.add(id);
    return { id, from, chat_instance: String(seen.chatId), data: found.callback_data };
  }

  answer(payload: Payload): true {
    const id = String(payload.callback_query_id);
    if (!this.#open.delete(id))
      throw new ApiError(
        400,
        "Bad Request: query is too old and response timeout expired or query ID is invalid",
      );
    this.answered.push(id);
    return true;
  }
}
