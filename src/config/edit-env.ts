/** Sets a variable in `.env` and keeps everything else: comments, order, invalid lines. */

const ASSIGNMENT = /^\s*(export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=/;

export function setVariable(text: string, name: string, value: string): string {
  const line = `${name}=${quoted(value)}`;
  const lines = text.split("\n");
  const at = lines.findLastIndex((existing) => ASSIGNMENT.exec(existing)?.[2] === name);
  if (at === -1) return `${text === "" || text.endsWith("\n") ? text : `${text}\n`}${line}\n`;
  const exported = ASSIGNMENT.exec(lines[at]!)?.[1] ?? "";
  const ending = lines[at]!.endsWith("\r") ? "\r" : "";
  return lines.with(at, `${exported}${line}${ending}`).join("\n");
}

/** As the parser reads it: plain where possible, else quoted. */
function quoted(value: string): string {
  if (/^[\w.:/@+=-]*$/.test(value)) return value;
  if (!/['\r\n]/.test(value)) return `'${value}'`;
  const escaped = value
    .replace(/[\\"]/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t");
  return `"${escaped}"`;
}
