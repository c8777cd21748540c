/**
 * Does the work grow with the length of the text, or faster? CPU time at 2n is held against that at n: about two for
 * linear work, four for quadratic work. CPU time rather than elapsed time, because other processes share the machine.
 */

/** Text that makes a careless parser look at the same characters again and again, repeated to any length. */
const UNITS = {
  "one letter": "a",
  spaces: " ",
  "line breaks": "\n",
  "back-ticks": "`",
  "back-ticks apart": "` ",
  "runs of back-ticks": "``a`",
  backslashes: "\\",
  "opening brackets": "[",
  "double brackets": "[[",
  "images never closed": "![",
  "links never closed": "[a](",
  parentheses: "(",
  "letters and dashes": "a-",
  "letters and dots": "a.",
  "quote marks": "> ",
  "quote marks without spaces": ">",
  "list items": "- a\n",
  "list markers": "- ",
  "numbered items": "1. a\n",
  "table cells": "|a",
  "table rows": "|a|b|\n|-|-|\n",
  stars: "*",
  "stars and letters": "*a ",
  "emphasis never closed": "**a _b ",
  underscores: "_",
  tildes: "~",
  "tags never closed": "<a ",
  "angle brackets": "<",
  mentions: "<@1",
  ampersands: "&",
  entities: "&#",
  "double quotes": '"',
  "single quotes": "'",
  "media tags": "MEDIA:",
  "media tags with spaces": "MEDIA: a ",
  addresses: "http://a.",
  "e-mail addresses": "a@",
  digits: "1",
  colons: "a:",
  hashes: "#",
  CJK: "漢字",
  "emoji with joiners": "👩‍👩‍👧",
  "combining marks": "e\u0301\u0301\u0301",
  "lone surrogates": "\ud83d",
} satisfies Record<string, string>;

type Shape = (length: number) => string;

function repeated(unit: string): Shape {
  return (length) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

const nested = (open: string, close: string): Shape => {
  return (length) => {
    const depth = Math.floor(length / (open.length + close.length));
    return open.repeat(depth) + close.repeat(depth);
  };
};

const SHAPES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ...Object.entries(UNITS).map(([name, unit]): [string, Shape] => [name, repeated(unit)]),
  ["nested brackets", nested("[", "]")],
  ["nested parentheses", nested("(", ")")],
  ["nested quotes by line", (length) => lines(length, (i) => `${">".repeat(i)} a`)],
  ["nested lists", (length) => lines(length, (i) => `${" ".repeat(2 * i)}- a`)],
  ["ever longer back-tick runs", (length) => lines(length, (i) => `a ${"`".repeat(i + 1)}`, " ")],
  ["quotes in quotes", (length) => `${"> ".repeat(length / 2)}a`],
  ["lists in lists", (length) => `${"- ".repeat(length / 2)}a`],
  ["numbered lists in lists", (length) => `${"1. ".repeat(length / 3)}a`],
  ["quotes in lists", (length) => `${"- > ".repeat(length / 4)}a`],
  ["a letter, then spaces", (length) => `a${" ".repeat(length - 2)}a`],
]);

/** Every hostile shape at about this length, by name. */
export function hostileTexts(length: number): [string, string][] {
  return [...SHAPES].map(([name, shape]) => [name, shape(length)]);
}

/** As many ever longer lines as fit. */
function lines(length: number, line: (i: number) => string, separator = "\n"): string {
  const out: string[] = [];
  for (let i = 0, size = 0; size < length; i++) {
    out.push(line(i));
    size += out.at(-1)!.length + separator.length;
  }
  return out.join(separator);
}

/** Work that takes less at the greatest length is fast enough, however it grows. */
const TINY_MS = 20;
const FIRST_CHARS = 8000;
const MAX_CHARS = 64_000;
/** Between two (linear) and four (quadratic). */
const MAX_RATIO = 3.2;
const ATTEMPTS = 4;

export type Work = (text: string) => unknown;

/**
 * Empty if the work is linear for every shape of text; otherwise one line for each bad shape. `units`
 * are further texts to repeat, for work that looks for something special.
 */
export function badGrowth(work: Work, units: readonly string[] = []): string[] {
  const more = units.map((unit): [string, Shape] => [JSON.stringify(unit), repeated(unit)]);
  return [...SHAPES, ...more].flatMap(([name, shape]) => {
    const fault = faultOf(work, shape);
    return fault === undefined ? [] : [`${name}: ${fault}`];
  });
}

/**
 * Doubles the length until the work takes long enough to be measured. Twice in a row it must have grown too much: once
 * may be a limit above which other work is done.
 */
function faultOf(work: Work, shape: Shape): string | undefined {
  let chars = FIRST_CHARS;
  let ms = cpuMs(work, shape(chars));
  while (chars < MAX_CHARS && ms <= TINY_MS) {
    chars *= 2;
    ms = cpuMs(work, shape(chars));
  }
  const first = ratioFault(work, shape, chars, ms);
  const second = first && ratioFault(work, shape, 2 * chars);
  return second && `${first}; ${second}`;
}

/** The least of several runs counts: other work on the machine makes a run longer, nothing makes it shorter. */
function ratioFault(work: Work, shape: Shape, chars: number, firstMs?: number): string | undefined {
  const [half, whole] = [shape(chars / 2), shape(chars)];
  let wholeMs = firstMs ?? cpuMs(work, whole);
  let halfMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (wholeMs <= TINY_MS) return undefined;
    halfMs = Math.min(halfMs, cpuMs(work, half));
    if (wholeMs / halfMs <= MAX_RATIO) return undefined;
    wholeMs = Math.min(wholeMs, cpuMs(work, whole));
  }
  return `${halfMs.toFixed(0)} ms for ${half.length} characters, ${wholeMs.toFixed(0)} ms for ${whole.length}`;
}

function cpuMs(work: Work, text: string): number {
  const before = process.cpuUsage();
  try {
    work(text);
  } catch {
    // Refusing a text is an answer too.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
