import type { Context, Hono } from "hono";
import { packageFile } from "../../package-files.js";
import { PageFiles } from "../../page-files.js";
import { fault } from "../faults.js";

const PAGE = "index.html";

/** Serves files by name; every other path belongs to the page's own router. */
export function pageRoutes(pages: Hono): void {
  const files = new PageFiles(packageFile("dist/dashboard/"));
  pages.get("/*", async (c) => {
    const name = c.req.path.slice("/dashboard/".length);
    const file = await files.answer(c, name);
    if (file) return file;
    if (name.startsWith("assets/")) return fault(c, 404, "not_found", "There is no such file");
    return (await files.answer(c, PAGE)) ?? notBuilt(c);
  });
}

const notBuilt = (c: Context) =>
  fault(
    c,
    503,
    "unavailable",
    "The dashboard was not built: run `npm run build`, then start the gateway again",
  );
