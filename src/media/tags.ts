/** Finds `MEDIA:/path/to/file.png` tags in an answer, outside code and quotes. Pure. */

export interface WantedFile {
  path: string;
  /** How it is shown, where a platform has several ways. */
  as?: "document" | "voice";
}

export interface Tagged {
  /** The answer without its tags. */
  text: string;
  files: WantedFile[];
}

/**
 * Quoted: up to the closing quote. Bare: up to the first known extension at a word end. Never past another tag:
 * scanning to the end of the line for each tag would be quadratic.
 */
const TAG =
  /(?<![\w"'/\\])MEDIA:[ \t]*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'`](?:(?!MEDIA:)[^\n"'`])*?\.(?:png|jpe?g|gif|webp|bmp|svg|heic|tiff?|mp4|mov|webm|mkv|avi|mp3|wav|ogg|opus|m4a|flac|aac|pdf|docx?|xlsx?|pptx?|odt|ods|odp|rtf|txt|md|csv|tsv|json|ya?ml|xml|log|html?|ics|zip|tar|gz|tgz|bz2|xz|7z|rar|epub))(?=[\s,;)\]*]|[.!?](?:\s|$)|$))/gi;
const HINTS: readonly [RegExp, WantedFile["as"]][] = [
  [/\[\[as_document\]\]/gi, "document"],
  [/\[\[audio_as_voice\]\]/gi, "voice"],
];

export function readTags(answer: string): Tagged {
  const files: WantedFile[] = [];
  let as: WantedFile["as"];
  const text = outsideCode(answer, (words) => {
    for (const [hint, meaning] of HINTS) {
      if (words.search(hint) === -1) continue;
      as = meaning;
      words = words.replace(hint, "");
    }
    return words.replace(TAG, (_, ...found: (string | undefined)[]) => {
      files.push({ path: (found[0] ?? found[1] ?? found[2])!.trim() });
      return GONE;
    });
  });
  return {
    text: files.length > 0 || as !== undefined ? tidy(text) : answer,
    files: files.map((file) => ({ ...file, ...(as === undefined ? {} : { as }) })),
  };
}

/** Hides tags in a partial answer, from their first letter on. */
export function hideTags(unfinished: string): string {
  if (!/MEDIA:|\[\[/i.test(unfinished)) return unfinished;
  const { text } = readTags(unfinished);
  const line = text.lastIndexOf("\n") + 1;
  const last = text.slice(line).replace(/(?<![\w"'/\\])MEDIA:.*$|\[\[[a-z_]*\]?$/is, "");
  return (text.slice(0, line) + last).trimEnd();
}

/** Placeholder for a tag until lines with nothing else are removed. */
const GONE = "\u0000";

/** Trims blanks before a tag from the start of their run, which keeps it linear. */
function tidy(text: string): string {
  return text
    .split("\n")
    .filter((line) => !(line.includes(GONE) && /^[\s\u0000,;*+-]*$/.test(line)))
    .join("\n")
    .replace(/(?<![ \t])[ \t]*\u0000[,;]?/g, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

const TICKS = /`+/g;

/** Fenced blocks, quoted lines and inline code stay unchanged. */
function outsideCode(text: string, change: (words: string) => string): string {
  let fence: string | undefined;
  return text
    .split("\n")
    .map((line) => {
      const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
      const fenced = fence !== undefined || mark !== undefined;
      if (mark !== undefined && fence === undefined) fence = mark;
      else if (mark !== undefined && mark[0] === fence?.[0] && mark.length >= fence!.length)
        fence = undefined;
      if (fenced || /^\s*>/.test(line)) return line;
      return outsideInlineCode(line, change);
    })
    .join("\n");
}

/** A run of backticks opens code if a later run has the same length. */
function outsideInlineCode(line: string, change: (words: string) => string): string {
  const runs = [...line.matchAll(TICKS)];
  const closings = nextOfSameLength(runs.map(([run]) => run.length));
  let out = "";
  let at = 0;
  for (let i = 0; i < runs.length; i++) {
    const closing = closings[i];
    if (closing === undefined) continue;
    const open = runs[i]!;
    out += change(line.slice(at, open.index));
    at = runs[closing]!.index + open[0].length;
    out += line.slice(open.index, at);
    i = closing;
  }
  return out + change(line.slice(at));
}

/** For each run, the index of the next run of the same length. One pass from the end. */
function nextOfSameLength(lengths: readonly number[]): (number | undefined)[] {
  const nearest = new Map<number, number>();
  const next = new Array<number | undefined>(lengths.length);
  for (let i = lengths.length - 1; i >= 0; i--) {
    next[i] = nearest.get(lengths[i]!);
    nearest.set(lengths[i]!, i);
  }
  return next;
}
