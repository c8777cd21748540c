/** Markdown → texts without markup, within a number of segments. Pure. */
import { boldHeading, byUtf16, type Dialect, markedQuote } from "../../text/dialect.js";
import { renderMarkdown } from "../../text/parts.js";
import { startOf } from "../../text-limits.js";
import { capacityOf, foldTypography, segmentsOf, unitsOf } from "./segments.js";

/** Twilio takes no longer text. */
export const LIMIT = 1600;

export interface SmsPart {
  text: string;
}

export interface LengthPolicy {
  /** Of one message. */
  maxSegments: number;
  /** Of one answer; the rest is cut off. */
  maxMessages: number;
}

export const REPEAT = "(This may be a repeat.)";
/** Each part of a multi-part answer has room for the note above. */
const NOTE_ROOM = REPEAT.length + 1;

const PLAIN: Dialect = {
  cost: byUtf16,
  escape: foldTypography,
  open: () => "",
  close: () => "",
  canLink: () => false,
  heading: boldHeading,
  quote: { frame: markedQuote, nests: true },
  code: { frame: () => ({ kind: "code", open: "", close: "", prefix: "  " }), within: "all" },
  list: { bullets: ["-"] },
  // As much as fits a phone screen without wrapping.
  table: { maxWidth: 38, inCode: false },
  rule: "----------",
};

export function render(markdown: string, policy: LengthPolicy): SmsPart[] {
  // An answer of this length is cut anyway, and parsing more of it would be wasted.
  const source = startOf(markdown, 4 * LIMIT * policy.maxMessages);
  const whole = renderMarkdown(source, PLAIN, { limit: Number.MAX_SAFE_INTEGER })[0]?.text ?? "";
  const { encoding } = segmentsOf(whole);
  const limit = Math.min(LIMIT, capacityOf(encoding, policy.maxSegments));
  const dialect = { ...PLAIN, cost: encoding === "GSM-7" ? unitsOf : byUtf16 };
  const parts = renderMarkdown(source, dialect, { limit, spare: spareOf(limit) }).map(({ text }) => text);
  const shown = parts.slice(0, policy.maxMessages);
  if (shown.length < parts.length || source.length < markdown.length)
    shown[shown.length - 1] = cut(shown.at(-1)!, limit, encoding === "GSM-7" ? unitsOf : byUtf16);
  return shown.map((text) => ({ text }));
}

/** Small limits leave no room for notes: a repeat is then marked in its own message. */
function spareOf(limit: number): number {
  return limit > 4 * NOTE_ROOM ? NOTE_ROOM : 0;
}

const CUT = "... (cut)";

function cut(text: string, limit: number, cost: (text: string) => number): string {
  let end = text.length;
  while (end > 0 && cost(text.slice(0, end)) + CUT.length > limit) end -= CUT.length;
  return startOf(text, Math.max(0, end)) + CUT;
}

/** The texts of a part that may be a repeat: two if both don't fit into one. */
export function marked({ text }: SmsPart): string[] {
  const both = `${REPEAT}\n${text}`;
  return both.length > LIMIT ? [REPEAT, text] : [both];
}
