/** The documentation at `/docs`, as the build left it. Few people read it here, so nothing of it is kept in memory. */
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Context, Hono } from "hono";
import { packageFile } from "../package-files.js";
import { fileAnswer, hasType } from "../static-file.js";
import { fault } from "./faults.js";

const FILES = packageFile("dist/docs/");
const BEGINNING = "/docs/";
const START = "index.html";
/** Names of files in folders below, none hidden: no way leads out of the folder. */
const NAME = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;
const MAX_NAME = 200;

const pack = promisify(gzip);

export function docsRoutes(app: Hono): void {
  app.get("/docs", (c) => c.redirect(BEGINNING));
  app.get("/docs/*", async (c) => {
    const name = c.req.path.slice(BEGINNING.length) || START;
    const content = await contentOf(name);
    if (content === undefined) return name === START ? notBuilt(c) : unknown(c);
    const packed = name.endsWith(".png") ? undefined : await pack(content);
    return fileAnswer(name, content, packed)(c);
  });
}

async function contentOf(name: string): Promise<Buffer | undefined> {
  if (name.length > MAX_NAME || !NAME.test(name) || !hasType(name)) return undefined;
  try {
    return await readFile(new URL(name, FILES));
  } catch (error) {
    // A folder with the name of a page is no page.
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return undefined;
    throw error;
  }
}

const unknown = (c: Context) => fault(c, 404, "not_found", "There is no such page: /docs/ has the contents");

const notBuilt = (c: Context) =>
  fault(c, 503, "unavailable", "The documentation was not built: run `npm run build`");
