/** The files of a page, as the build left them: read once, served from memory, packed where the browser likes it. */
import fs from "node:fs";
import { gzipSync } from "node:zlib";
import type { Context } from "hono";
import { fileAnswer, filesUnder } from "./static-file.js";

/** By their names below the folder. Only what lies in it has an answer, so there is no path to traverse. */
export function pageFiles(folder: URL): Map<string, (c: Context) => Response> {
  const names = fs.existsSync(folder) ? filesUnder(folder) : [];
  return new Map(
    names.map((name) => {
      const content = fs.readFileSync(new URL(name, folder));
      return [name, fileAnswer(name, content, gzipSync(content))];
    }),
  );
}
