/** What would change in a file, line by line, secrets masked. */
import { isSecretPath, maskSecrets } from "./mask.js";

export interface DiffLine {
  sign: "+" | "-" | " ";
  text: string;
}

const CONTEXT = 1;

/** Changed lines with one of their neighbours on either side. */
export function diffLines(before: string, after: string): DiffLine[] {
  const all = compare(linesOf(before), linesOf(after));
  const isNear = (at: number) =>
    all.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ sign }) => sign !== " ");
  return all.filter((_, at) => isNear(at)).map(({ sign, text }) => ({ sign, text: maskLine(text) }));
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** Longest common subsequence, after the common head and tail are cut off. */
function compare(before: readonly string[], after: readonly string[]): DiffLine[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const same = (text: string): DiffLine => ({ sign: " ", text });
  return [
    ...before.slice(0, head).map(same),
    ...compareMiddles(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

function compareMiddles(a: readonly string[], b: readonly string[]): DiffLine[] {
  const longest = a.map(() => new Array<number>(b.length + 1).fill(0));
  longest.push(new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i]![j] =
        a[i] === b[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: " ", text: a[i]! });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && longest[i + 1]![j]! >= longest[i]![j + 1]!))
      lines.push({ sign: "-", text: a[i++]! });
    else lines.push({ sign: "+", text: b[j++]! });
  }
  return lines;
}

/** `TOKEN=…`, `api_key: …`, also within braces. */
function maskLine(line: string): string {
  return line.replace(
    /(?<![\w-])([\w-]+)(\s*[:=]\s*)("[^"]*"|'[^']*'|[^\s,{}[\]]+)/g,
    (whole: string, name: string, between: string, value: string) => {
      if (!isSecretPath([name]) || value.startsWith("${")) return whole;
      return `${name}${between}${maskSecrets(value.replace(/^["']|["']$/g, ""), ["token"])}`;
    },
  );
}
