import katex from "katex";

/** As MathML, which needs none of KaTeX's styles and fonts. */
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
