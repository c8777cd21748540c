/** The page's files, as the build left them: read once, served from memory, packed where the browser likes it. */
import fs from "node:fs";
import { gzipSync } from "node:zlib";
import type { Context, Hono } from "hono";
import { packageFile } from "../../package-files.js";
import { fault } from "../faults.js";
import { fileAnswer, filesUnder } from "../static-file.js";

const FILES = packageFile("dist/dashboard/");

/** Only what lies in the folder has a route, so there is no path to traverse; every other place is the page's own. */
export function pageRoutes(pages: Hono): void {
  const names = fs.existsSync(FILES) ? filesUnder(FILES) : [];
  for (const name of names) if (name !== "index.html") pages.get(`/${name}`, answerOf(name));
  const index = names.includes("index.html") ? answerOf("index.html") : notBuilt;
  pages.get("/assets/*", (c) => fault(c, 404, "not_found", "There is no such file"));
  pages.get("/*", index);
}

function answerOf(name: string): (c: Context) => Response {
  const content = fs.readFileSync(new URL(name, FILES));
  return fileAnswer(name, content, gzipSync(content));
}

const notBuilt = (c: Context) =>
  fault(
    c,
    503,
    "unavailable",
    "The dashboard was not built: run `npm run build`, then start the gateway again",
  );
