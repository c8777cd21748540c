/** The `.env` file: KEY=VALUE lines, `export`, quotes, comments. One line is one variable. */

export interface EnvFile {
  variables: Map<string, { value: string; line: number }>;
  /** Invalid lines; their text is not shown, because it may be part of a secret. */
  faults: { line: number; message: string }[];
}

const LINE = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/s;
const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t" };

export function parseEnvFile(text: string): EnvFile {
  const result: EnvFile = { variables: new Map(), faults: [] };
  for (const [index, raw] of text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\r|\n/)
    .entries()) {
    const trimmed = raw.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const line = index + 1;
    const match = LINE.exec(trimmed);
    const value = match && parseValue(match[2]!.trim());
    if (!match) result.faults.push({ line, message: "is not KEY=VALUE" });
    else if (value == null) result.faults.push({ line, message: `${match[1]}: the quote is not closed` });
    else result.variables.set(match[1]!, { value, line });
  }
  return result;
}

/** Single quotes are literal, double quotes know \n \r \t \" \\; without quotes a ` #` starts a comment. */
function parseValue(text: string): string | undefined {
  if (text.startsWith("'")) return /^'([^']*)'\s*(?:#.*)?$/.exec(text)?.[1];
  if (text.startsWith('"')) {
    const quoted = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(text)?.[1];
    return quoted?.replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char);
  }
  const comment = text.search(/(?:^|\s)#/);
  return (comment === -1 ? text : text.slice(0, comment)).trim();
}
