/** Buttons in blocks: Slack's checks, and a person's press. */
import { ApiError, type Block, type BlockButton, type StoredMessage } from "./types.js";

const MAX_ELEMENTS = 25;
const MAX_LABEL = 75;
const MAX_ID = 255;
const STYLES = [undefined, "primary", "danger"];

export function buttonsIn({ blocks = [] }: Pick<StoredMessage, "blocks">): BlockButton[] {
  return blocks.flatMap(({ type, elements = [] }) => (type === "actions" ? elements : []));
}

export function checkButtons(blocks: Block[]): void {
  const ids = blocks.flatMap(({ block_id: id }) => id ?? []);
  if (new Set(ids).size < ids.length) throw invalid("`block_id` already exists");
  for (const { elements } of blocks.filter(({ type }) => type === "actions")) {
    if (!elements || elements.length < 1 || elements.length > MAX_ELEMENTS)
      throw invalid("too many elements");
    elements.forEach(check);
  }
  const actions = buttonsIn({ blocks }).map(({ action_id: id }) => id);
  if (new Set(actions).size < actions.length) throw invalid("`action_id` already exists");
  // Slack names the blocks that have no name.
  blocks.forEach((block, i) => {
    block.block_id ??= `b${i}`;
  });
}

function check({ type, action_id: id, text, style, value = "" }: BlockButton): void {
  if (type !== "button" || !STYLES.includes(style)) throw invalid("unsupported element");
  if (!id || id.length > MAX_ID || value.length > 2000) throw invalid("must be less than 256 characters");
  if (text?.type !== "plain_text" || text.text.trim() === "" || text.text.length > MAX_LABEL)
    throw invalid("must be less than 76 characters");
}

function invalid(detail: string): ApiError {
  return new ApiError("invalid_blocks", { detail });
}

/** The `actions` of a press. Throws if the message has no such button. */
export function pressOf(message: StoredMessage, button: string, at: string) {
  for (const { elements = [], block_id } of message.blocks ?? []) {
    const found = elements.find(({ action_id: id, text }) => text.text === button || id === button);
    if (found) return [{ ...found, block_id, action_ts: at }];
  }
  throw new Error(`Message ${message.ts} has no button "${button}"`);
}
