/** The built files of a page: read once, served from memory, compressed if the browser supports it. */
import fs from "node:fs";
import { gzipSync } from "node:zlib";
import type { Context } from "hono";
import { fileAnswer, filesUnder } from "./static-file.js";

/** By name. Only known files are served, so path traversal is impossible. */
export function pageFiles(folder: URL): Map<string, (c: Context) => Response> {
  const names = fs.existsSync(folder) ? filesUnder(folder) : [];
  return new Map(
    names.map((name) => {
      const content = fs.readFileSync(new URL(name, folder));
      return [name, fileAnswer(name, content, gzipSync(content))];
    }),
  );
}
