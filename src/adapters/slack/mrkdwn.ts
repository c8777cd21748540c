/** Slack's markup of an incoming message → plain text. Pure. */

export interface ReadOptions {
  /** The bot itself: its mentions are taken out. */
  botUserId: string;
  /** The name behind a user id, where it is known. */
  nameOf(userId: string): string | undefined;
}

export function readMrkdwn(text: string, options: ReadOptions): string {
  const plain = text
    .replace(/[\0\u0001]/g, "")
    .replace(/<([^<>\n]*)>/g, (_, inner: string) => reference(inner, options));
  const parts = decode(plain)
    .replace(/^[ \t]*\u0001[:,]?[ \t]*/gm, "")
    .split(GONE);
  const last = parts.pop()!;
  return [...parts.map(withoutSpacesAtEnd), last].join("").trim();
}

/** Not with a pattern: that would be quadratic on a long run of spaces. */
function withoutSpacesAtEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === " " || text[end - 1] === "\t") end -= 1;
  return text.slice(0, end);
}

/** Placeholder for a mention of the bot until the spaces around it are trimmed. */
const GONE = "\u0001";

function reference(inner: string, options: ReadOptions): string {
  const bar = inner.indexOf("|");
  const [target, label] = bar < 0 ? [inner, ""] : [inner.slice(0, bar), inner.slice(bar + 1)];
  if (target.startsWith("@")) return person(target.slice(1), label, options);
  if (target.startsWith("#")) return `#${label || target.slice(1)}`;
  if (target.startsWith("!")) return special(target.slice(1), label);
  const address = target.replace(/^mailto:|^tel:/, "");
  return label === "" || label === address ? address : `[${label}](${target})`;
}

function person(id: string, label: string, { botUserId, nameOf }: ReadOptions): string {
  if (id === botUserId) return GONE;
  return `@${(nameOf(id) ?? label) || id}`;
}

/** `!here`, `!subteam^S1|@team`, `!date^…|fallback`. */
function special(target: string, label: string): string {
  if (label !== "") return label;
  return `@${target.split("^")[0]}`;
}

function decode(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** Ids of the people that a text mentions. */
export function mentionedIds(text: string): string[] {
  return [...text.matchAll(/<@([A-Z0-9]+)(?:\|[^<>]*)?>/g)].map(([, id]) => id!);
}
