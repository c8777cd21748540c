/** Adds a call of `__walk` at the start of every named function and method of compiled code. */
import { type Function as FunctionNode, type PropertyKey, parseSync, Visitor } from "oxc-parser";

interface Insertion {
  at: number;
  text: string;
}

/** `file`: the path shown in the trace. */
export function instrument(file: string, text: string): string {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file} can't be parsed: ${errors[0].message}`);
  const insertions: Insertion[] = [];
  const enter = (name: string | undefined, { body }: FunctionNode) => {
    if (name === undefined || !body) return;
    const args = [JSON.stringify(file), JSON.stringify(name), verbIn(file, name)];
    insertions.push({ at: body.start + 1, text: `globalThis.__walk(${args});` });
  };
  new Visitor({
    FunctionDeclaration: (node) => enter(node.id?.name, node),
    MethodDefinition: (node) => enter(nameOf(node.key), node.value),
  }).visit(program);
  return insertions
    .toSorted((a, b) => b.at - a.at)
    .reduce((code, { at, text: added }) => code.slice(0, at) + added + code.slice(at), text);
}

/** Calls of the store's thread include their verb. */
function verbIn(file: string, name: string): string {
  return file === "store/sqlite/thread.ts" && name === "call" ? "arguments[0]" : "undefined";
}

function nameOf(key: PropertyKey): string | undefined {
  if (key.type === "Identifier") return key.name;
  return key.type === "PrivateIdentifier" ? `#${key.name}` : undefined;
}
