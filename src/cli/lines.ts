import type { Readable } from "node:stream";

const NEWLINE = 0x0a;

export interface Line {
  /** From 1, as editors count. */
  number: number;
  text: string;
}

/**
 * The lines of a stream, split at line feeds only. Node's readline also splits at U+2028, which JSON leaves as it is
 * inside of strings.
 */
export async function* readLines(stream: Readable): AsyncGenerator<Line> {
  let number = 0;
  let rest: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      rest.push(chunk.subarray(begin, end));
      yield { number: ++number, text: decode(rest) };
      rest = [];
      begin = end + 1;
    }
    if (begin < chunk.length) rest.push(chunk.subarray(begin));
  }
  if (rest.length > 0) yield { number: ++number, text: decode(rest) };
}

function decode(parts: readonly Buffer[]): string {
  return Buffer.concat(parts)
    .toString("utf8")
    .replace(/^\uFEFF/, "");
}
