/** `docs/reference/library.md`: what the package exports, with the declarations and comments of the source. */
import { readFileSync } from "node:fs";
import { type Comment, type Program, parseSync } from "oxc-parser";

type Statement = Program["body"][number];
type Exported = Extract<Statement, { type: "ExportNamedDeclaration" }>;
type Declaration = NonNullable<Exported["declaration"]>;

interface Module {
  url: URL;
  text: string;
  body: Statement[];
  comments: Comment[];
}

interface Entry {
  name: string;
  about: string;
  code: string;
}

const ENTRIES = [
  {
    title: "hermes-gateway",
    file: "src/index.ts",
    about: "The gateway as a whole, and its rules and store separately.",
  },
  { title: "hermes-gateway/plugin", file: "src/plugin.ts", about: "What a plugin needs. Light to import." },
];

const HEAD = `# Library reference

What programs and plugins import. [Adding a platform](../adding-a-platform.md) explains the contract of an adapter, and
[tools](../tools.md#your-own-tools) the one of a tool.

<!-- Written by \`npm run generate\` from src/index.ts and src/plugin.ts. -->
`;

export function libraryText(root: URL): string {
  const seen = new Set<string>();
  const sections = ENTRIES.map(({ title, file, about }) => {
    const all = exportsOf(readModule(new URL(file, root))).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const known = all.filter(({ name }) => seen.has(name)).map(({ name }) => `\`${name}\``);
    const entries = all.filter(({ name }) => !seen.has(name));
    for (const { name } of entries) seen.add(name);
    const also = known.length > 0 ? `\nAlso here, as above: ${known.join(", ")}.\n` : "";
    return `## ${title}\n\n${about}\n${also}\n${entries.map(entryText).join("\n")}`;
  });
  return [HEAD, ...sections].join("\n");
}

function entryText({ name, about, code }: Entry): string {
  return `### ${name}\n\n${about === "" ? "" : `${about}\n\n`}\`\`\`ts\n${code}\n\`\`\`\n`;
}

function readModule(url: URL): Module {
  const text = readFileSync(url, "utf8");
  const { program, comments, errors } = parseSync(url.pathname, text);
  if (errors[0]) throw new Error(`${url.pathname} can't be parsed: ${errors[0].message}`);
  return { url, text, body: program.body, comments };
}

function exportsOf(module: Module): Entry[] {
  return module.body.flatMap((statement): Entry[] => {
    if (statement.type === "ExportAllDeclaration")
      return exportsOf(readModule(target(module, statement.source.value)));
    if (statement.type !== "ExportNamedDeclaration") return [];
    if (statement.declaration) return [entryOf(module, statement, statement.declaration)];
    const { source } = statement;
    if (!source) return [];
    const all = exportsOf(readModule(target(module, source.value)));
    const names = statement.specifiers.map(({ exported }) =>
      "name" in exported ? exported.name : exported.value,
    );
    return names.map((name) => {
      const found = all.find((entry) => entry.name === name);
      if (!found) throw new Error(`${source.value} doesn't declare ${name} itself`);
      return found;
    });
  });
}

function target({ url }: Module, source: string): URL {
  return new URL(source.replace(/\.js$/, ".ts"), url);
}

function entryOf({ text, comments }: Module, statement: Exported, declaration: Declaration): Entry {
  const before = comments.findLast(({ type, end }) => type === "Block" && end <= statement.start);
  const isAbove = before && text.slice(before.end, statement.start).trim() === "";
  const code = text.slice(declaration.start, endOf(declaration)).trim();
  return { name: nameOf(declaration), about: isAbove ? commentText(before.value) : "", code };
}

function nameOf(declaration: Declaration): string {
  if (declaration.type === "VariableDeclaration") {
    const [first] = declaration.declarations;
    if (first?.id.type === "Identifier") return first.id.name;
  } else if ("id" in declaration && declaration.id && "name" in declaration.id) return declaration.id.name;
  throw new Error(`An export of the library has no name: ${declaration.type}`);
}

/** Of functions and classes, readers need the head only. */
function endOf(declaration: Declaration): number {
  if (declaration.type === "FunctionDeclaration" || declaration.type === "ClassDeclaration")
    return declaration.body?.start ?? declaration.end;
  return declaration.end;
}

function commentText(comment: string): string {
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\*+ ?/, "").trim());
  return lines.join("\n").trim().replaceAll("<", "&lt;");
}
