/** The page of the web chat. */
import type { Context, Hono } from "hono";
import { packageFile } from "../../package-files.js";
import { pageFiles } from "../../page-files.js";

const PAGE = "chat.html";
/** Addresses that the page reads itself. */
const PLACES = ["/", "/c/:id"];
const SHARED = "/shared/:secret";

export function pageRoutes(app: Hono): void {
  const files = pageFiles(packageFile("dist/chat/"));
  for (const [name, answer] of files) if (name !== PAGE) app.get(`/chat/${name}`, answer);
  const page = files.get(PAGE) ?? notBuilt;
  for (const place of PLACES) app.get(place, page);
  app.get(SHARED, (c) => {
    c.header("X-Robots-Tag", "noindex");
    return page(c);
  });
}

const notBuilt = (c: Context) =>
  c.text("The web chat was not built: run `npm run build`, then start the gateway again", 503);
