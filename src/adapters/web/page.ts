/** The page's files: read once, served from memory, always checked for a newer version by the browser. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Context, Hono } from "hono";
import { packageFile } from "../../package-files.js";

const ASSETS = packageFile("assets/web/");

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Every file of the folder has its own route, so no path can be traversed. */
export function pageRoutes(app: Hono): void {
  for (const name of fs.readdirSync(ASSETS)) {
    const type = TYPES[path.extname(name)];
    if (!type) continue;
    const content = fs.readFileSync(new URL(name, ASSETS), "utf8");
    const etag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
    const headers = { "Content-Type": type, "Cache-Control": "no-cache", ETag: etag };
    const answer = (c: Context) =>
      c.req.header("if-none-match") === etag ? c.body(null, 304, headers) : c.body(content, 200, headers);
    app.get(name === "index.html" ? "/" : `/chat/${name}`, answer);
  }
}
