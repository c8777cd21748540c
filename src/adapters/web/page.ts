/** The page of the web chat. */
import type { Context, Hono } from "hono";
import { packageFile } from "../../package-files.js";
import { PageFiles } from "../../page-files.js";

const PAGE = "chat.html";
/** Addresses of the page's own router. */
const PAGE_PATHS = ["/", "/c/:id"];
const SHARED = "/shared/:secret";
const FILES = "/chat/";

export function pageRoutes(app: Hono): void {
  const files = new PageFiles(packageFile("dist/chat/"));
  const page = async (c: Context) => (await files.answer(c, PAGE)) ?? notBuilt(c);
  app.get(`${FILES}*`, async (c, next) => {
    const name = c.req.path.slice(FILES.length);
    const file = name === PAGE ? undefined : await files.answer(c, name);
    return file ?? next();
  });
  for (const path of PAGE_PATHS) app.get(path, page);
  app.get(SHARED, (c) => {
    c.header("X-Robots-Tag", "noindex");
    return page(c);
  });
}

const notBuilt = (c: Context) =>
  c.text("The web chat was not built: run `npm run build`, then start the gateway again", 503);
