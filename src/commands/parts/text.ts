/** Helpers for replies: short Markdown. */

/** User-written text (titles, ids, quotes) in a code span, so it can't create links or mentions. */
export function code(text: string): string {
  return `\`${oneLine(text).replaceAll("`", "'")}\``;
}

/** The beginning, on one line. */
export function shortened(text: string, chars = 80): string {
  const all = Array.from(oneLine(text));
  return all.length <= chars ? all.join("") : `${all.slice(0, chars - 1).join("")}…`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

/** "1 turn", "2 turns". */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** "128,000". */
export function grouped(number: number): string {
  return Math.round(number).toLocaleString("en-US");
}

/** Cents are too coarse for most turns. */
export function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

type Part = string | undefined | false;

/** One line per text; empty ones are skipped. */
export function lines(...parts: readonly Part[]): string {
  return parts.filter(Boolean).join("\n");
}

/** A list, because Markdown joins plain lines. */
export function bullets(...items: readonly Part[]): string {
  return lines(...items.map((item) => item && `- ${item}`));
}

/** Joins parts with blank lines: otherwise text after a list would belong to its last item. */
export function blocks(...parts: readonly Part[]): string {
  return parts.filter(Boolean).join("\n\n");
}
