/** What people write in a storm to an agent that repeats it. */
import type { PlannedMessage } from "./plan.js";

const TOKEN_EVERY_CHARS = 400;
const FILLER = "and so on and so forth, as people write when they have time, ";

/**
 * Every stretch of the text can be told from every other, so that no part of an answer can go missing unseen. It ends with
 * a token: an answer may be cut anywhere, and what follows the last token would be a part that belongs to no message.
 */
export function written(number: number, { kind, slowMs }: PlannedMessage, longChars: number) {
  const count = kind === "long" ? Math.ceil(longChars / TOKEN_EVERY_CHARS) : kind === "shown" ? 2 : 1;
  const tokens = Array.from({ length: count }, (_, i) => `m${number}x${i}`);
  if (kind === "shown") return { text: `!drip ${slowMs} ${tokens.join(` ${FILLER}`)}`, tokens };
  const filler = kind === "long" ? fillerOf(Math.min(TOKEN_EVERY_CHARS, longChars)) : "hello ";
  const text = tokens.map((token) => filler + token).join(" ");
  return { text: kind === "slow" ? `!slow ${slowMs} ${text}` : text, tokens };
}

/** Ends with a space: the token after it is a word of its own. */
const fillerOf = (chars: number) => `${FILLER.repeat(Math.ceil(chars / FILLER.length)).slice(0, chars - 1)} `;
