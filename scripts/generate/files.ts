/** The generated files with their expected text. */
import { readdirSync, readFileSync } from "node:fs";
import type { Platform } from "../../src/adapters/platform.js";
import { BUILT_IN } from "../../src/adapters/platforms.js";
import { diagramSvg } from "../docs/diagram/svg.js";
import { commandsText } from "./commands.js";
import { configJsonSchemaText } from "./config-schema.js";
import { configurationText } from "./configuration.js";
import { exampleText } from "./example.js";
import { libraryText } from "./library.js";
import { withPromises, withPromiseTable } from "./promises.js";
import { withPlatformTable } from "./readme.js";
import { withServiceTable } from "./services.js";

const ROOT = new URL("../../", import.meta.url);

export interface GeneratedFile {
  name: string;
  url: URL;
  text: string;
}

export async function generatedFiles(): Promise<GeneratedFile[]> {
  const commands = await commandsText();
  const file = (name: string, textOf: (url: URL) => string) => {
    const url = new URL(name, ROOT);
    return { name, url, text: textOf(url) };
  };
  const pages = (BUILT_IN as readonly Platform[]).flatMap((platform) => {
    const { page } = platform.docs ?? {};
    if (page === undefined) return [];
    return [file(page, (url) => withPromises(readFileSync(url, "utf8"), platform))];
  });
  return [
    file("config/config.schema.json", configJsonSchemaText),
    file("config/config.example.yaml", exampleText),
    file("README.md", (url) => withPlatformTable(readFileSync(url, "utf8"))),
    file("docs/reference/configuration.md", configurationText),
    file("docs/reference/commands.md", () => commands),
    file("docs/reference/library.md", () => libraryText(ROOT)),
    file("docs/guides/model.md", (url) => withServiceTable(readFileSync(url, "utf8"))),
    file("docs/delivery.md", (url) => withPromiseTable(readFileSync(url, "utf8"))),
    ...pages,
    ...diagramNames().map((name) => file(`docs/diagrams/${name}.svg`, () => drawn(name))),
  ];
}

function diagramNames(): string[] {
  const files = readdirSync(new URL("docs/diagrams/", ROOT));
  return files.filter((name) => name.endsWith(".txt")).map((name) => name.slice(0, -".txt".length));
}

function drawn(name: string): string {
  return diagramSvg(readFileSync(new URL(`docs/diagrams/${name}.txt`, ROOT), "utf8"), name);
}
