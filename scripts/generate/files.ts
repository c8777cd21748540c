/** The generated files with their expected text. */
import { readFileSync } from "node:fs";
import type { Platform } from "../../src/adapters/platform.js";
import { BUILT_IN } from "../../src/adapters/platforms.js";
import { configJsonSchemaText } from "./config-schema.js";
import { exampleText } from "./example.js";
import { withPromises } from "./promises.js";
import { withPlatformTable } from "./readme.js";

const ROOT = new URL("../../", import.meta.url);

export interface GeneratedFile {
  name: string;
  url: URL;
  text: string;
}

export function generatedFiles(): GeneratedFile[] {
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
    ...pages,
  ];
}
