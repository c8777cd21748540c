/** Finds the regular expressions in a file: literals, and those built at run time. */
import { type CallExpression, type NewExpression, parseSync, Visitor } from "oxc-parser";

export interface Literal {
  file: string;
  line: number;
  source: string;
  flags: string;
}

export interface Construction {
  file: string;
  line: number;
}

export interface Found {
  literals: Literal[];
  constructions: Construction[];
}

export function findRegexes(file: string, text: string): Found {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file} can't be parsed: ${errors[0].message}`);
  const found: Found = { literals: [], constructions: [] };
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length;
  const noteConstruction = (node: NewExpression | CallExpression) => {
    if (node.callee.type === "Identifier" && node.callee.name === "RegExp")
      found.constructions.push({ file, line: lineAt(node.start) });
  };
  new Visitor({
    Literal(node) {
      if (!("regex" in node)) return;
      const { pattern, flags } = node.regex;
      found.literals.push({ file, line: lineAt(node.start), source: pattern, flags });
    },
    NewExpression: noteConstruction,
    CallExpression: noteConstruction,
  }).visit(program);
  return found;
}
