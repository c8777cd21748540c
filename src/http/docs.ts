/** Serves the built documentation at `/docs`. It is rarely read here, so files aren't cached in memory. */
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Context, Hono } from "hono";
import { packageFile } from "../package-files.js";
import { fileResponse, hasType } from "../static-file.js";
import { fault } from "./faults.js";

const FILES = packageFile("dist/docs/");
const PREFIX = "/docs/";
const INDEX = "index.html";
/** Relative paths without hidden files or `..`: a name can't leave the folder. */
const NAME = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;
const MAX_NAME = 200;

const gzipped = promisify(gzip);

export function docsRoutes(app: Hono): void {
  app.get("/docs", (c) => c.redirect(PREFIX));
  app.get("/docs/*", async (c) => {
    const name = c.req.path.slice(PREFIX.length) || INDEX;
    const content = await contentOf(name);
    if (content === undefined) {
      if (name === INDEX) return notBuilt(c);
      const page = `${name}.html`;
      return (await contentOf(page)) ? c.redirect(PREFIX + page) : unknown(c);
    }
    const compressed = name.endsWith(".png") ? undefined : await gzipped(content);
    return fileResponse(name, content, compressed)(c);
  });
}

async function contentOf(name: string): Promise<Buffer | undefined> {
  if (name.length > MAX_NAME || !NAME.test(name) || !hasType(name)) return undefined;
  try {
    return await readFile(new URL(name, FILES));
  } catch (error) {
    // EISDIR: the name is a folder's.
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return undefined;
    throw error;
  }
}

const unknown = (c: Context) =>
  fault(c, 404, "not_found", "There is no such page; /docs/ has the table of contents");

const notBuilt = (c: Context) =>
  fault(c, 503, "unavailable", "The documentation was not built: run `npm run build`");
