/** The words of replies: short Markdown. */

/** People's own text (titles, ids, quotes) as it is: in a code span it can't become links or mentions. */
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

/** What stands there, line by line; nothing takes no line. */
export function lines(...parts: readonly Part[]): string {
  return parts.filter(Boolean).join("\n");
}

/** A list, since Markdown joins bare lines into one. */
export function bullets(...items: readonly Part[]): string {
  return lines(...items.map((item) => item && `- ${item}`));
}

/** Parts with air between them: what follows a list would else belong to its last entry. */
export function blocks(...parts: readonly Part[]): string {
  return parts.filter(Boolean).join("\n\n");
}
