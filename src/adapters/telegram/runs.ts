/**
 * Text with its tags beside it instead of inside it: wherever it is cut, every tag is closed and opened again, and no tag
 * or entity can be cut in two. Pure.
 */

export interface Tag {
  kind: "b" | "i" | "s" | "a" | "code" | "pre" | "quote";
  open: string;
  close: string;
}

/** A stretch of text that wears the same tags, outermost first. The same object is the same tag, going on. */
export interface Run {
  text: string;
  tags: readonly Tag[];
}

const tag = (kind: Tag["kind"], name: string, attributes = ""): Tag => ({
  kind,
  open: `<${name}${attributes}>`,
  close: `</${name}>`,
});

export const bold = () => tag("b", "b");
export const italic = () => tag("i", "i");
export const struck = () => tag("s", "s");
export const inlineCode = () => tag("code", "code");
export const quote = () => tag("quote", "blockquote");
export const link = (href: string) => tag("a", "a", ` href="${escapeAttribute(href)}"`);

export function codeBlock(language: string): Tag {
  if (language === "") return tag("pre", "pre");
  const open = `<pre><code class="language-${escapeAttribute(language)}">`;
  return { kind: "pre", open, close: "</code></pre>" };
}

export function toHtml(runs: readonly Run[]): string {
  let html = "";
  let open: readonly Tag[] = [];
  for (const { text, tags } of runs) {
    const kept = commonDepth(open, tags);
    html +=
      closing(open.slice(kept)) +
      tags
        .slice(kept)
        .map((t) => t.open)
        .join("") +
      escapeText(text);
    open = tags;
  }
  return html + closing(open);
}

export function toText(runs: readonly Run[]): string {
  return runs.map((run) => run.text).join("");
}

/** What the HTML measures, in UTF-16 units. */
export function htmlLength(runs: readonly Run[]): number {
  let length = 0;
  let open: readonly Tag[] = [];
  for (const { text, tags } of runs) {
    length += openingCost(open, tags) + escapeText(text).length;
    open = tags;
  }
  return length;
}

/** What is opened has to be closed in the same part: both count at once. */
export function openingCost(before: readonly Tag[], tags: readonly Tag[]): number {
  let cost = 0;
  for (const { open, close } of tags.slice(commonDepth(before, tags))) cost += open.length + close.length;
  return cost;
}

export function commonDepth(a: readonly Tag[], b: readonly Tag[]): number {
  let depth = 0;
  while (depth < a.length && a[depth] === b[depth]) depth++;
  return depth;
}

/** Both sides of a place in the text. */
export function cutRuns(runs: readonly Run[], at: number): [Run[], Run[]] {
  const head: Run[] = [];
  const tail: Run[] = [];
  let from = 0;
  for (const run of runs) {
    const inside = at - from;
    from += run.text.length;
    if (run.text === "") continue;
    if (inside >= run.text.length) head.push(run);
    else if (inside <= 0) tail.push(run);
    else {
      head.push({ ...run, text: run.text.slice(0, inside) });
      tail.push({ ...run, text: run.text.slice(inside) });
    }
  }
  return [head, tail];
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (char) => ESCAPES[char]!);
}

export function escapedLength(point: string): number {
  return ESCAPES[point] && point !== '"' ? ESCAPES[point].length : point.length;
}

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"]/g, (char) => ESCAPES[char]!);
}

function closing(tags: readonly Tag[]): string {
  return tags
    .toReversed()
    .map((t) => t.close)
    .join("");
}
