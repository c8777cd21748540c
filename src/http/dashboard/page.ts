import type { Context, Hono } from "hono";
import { packageFile } from "../../package-files.js";
import { pageFiles } from "../../page-files.js";
import { fault } from "../faults.js";

/** Every place that is no file is the page's own. */
export function pageRoutes(pages: Hono): void {
  const files = pageFiles(packageFile("dist/dashboard/"));
  for (const [name, answer] of files) if (name !== "index.html") pages.get(`/${name}`, answer);
  pages.get("/assets/*", (c) => fault(c, 404, "not_found", "There is no such file"));
  pages.get("/*", files.get("index.html") ?? notBuilt);
}

const notBuilt = (c: Context) =>
  fault(
    c,
    503,
    "unavailable",
    "The dashboard was not built: run `npm run build`, then start the gateway again",
  );
