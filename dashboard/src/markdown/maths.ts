import katex from "katex";

/** MathML: browsers draw it without styles or fonts of ours. */
export function mathMl(tex: string, displayMode: boolean): string {
  return katex.renderToString(tex.trim(), {
    output: "mathml",
    displayMode,
    throwOnError: false,
    strict: "ignore",
    trust: false,
    maxExpand: 300,
    maxSize: 20,
  });
}
