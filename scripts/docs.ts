/** `npm run docs` builds the site of `docs/` and serves it for writers; `--build` only builds it into `dist/docs`. */
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { docsRoutes } from "../src/http/docs.js";
import { safeHeaders } from "../src/http/headers.js";
import { buildSite } from "./docs/site.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const OUT = path.join(ROOT, "dist/docs");
const PORT = Number(process.env.DOCS_PORT ?? 8789);
const SETTLE_MS = 200;

const pages = buildSite(ROOT, OUT);
if (!process.argv.includes("--build")) serve();

function serve(): void {
  const app = new Hono();
  app.use(safeHeaders);
  docsRoutes(app);
  app.get("/", (c) => c.redirect("/docs/"));
  createAdaptorServer({ fetch: app.fetch }).listen(PORT, "127.0.0.1", () =>
    process.stdout.write(
      `${pages} pages at http://127.0.0.1:${PORT}/docs/, built again after each change of docs/\n`,
    ),
  );
  let timer: NodeJS.Timeout | undefined;
  fs.watch(path.join(ROOT, "docs"), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(rebuild, SETTLE_MS);
  });
}

/** A broken link in a half-written page must not end the server. */
function rebuild(): void {
  try {
    buildSite(ROOT, OUT);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
  }
}
