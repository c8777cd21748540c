/** The page's files, as the build left them: read once, served from memory, packed where the browser likes it. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { Context, Hono } from "hono";
import { packageFile } from "../../package-files.js";
import { fault } from "../faults.js";

const FILES = packageFile("dist/dashboard/");

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Only what lies in the folder has a route, so there is no path to traverse; every other place is the page's own. */
export function pageRoutes(pages: Hono): void {
  const names = fs.existsSync(FILES) ? filesUnder("") : [];
  for (const name of names) if (name !== "index.html") pages.get(`/${name}`, fileAnswer(name));
  const index = names.includes("index.html") ? fileAnswer("index.html") : notBuilt;
  pages.get("/assets/*", (c) => fault(c, 404, "not_found", "There is no such file"));
  pages.get("/*", index);
}

function filesUnder(folder: string): string[] {
  return fs.readdirSync(new URL(folder, FILES), { withFileTypes: true }).flatMap((entry) => {
    const name = folder + entry.name;
    if (entry.isDirectory()) return filesUnder(`${name}/`);
    return TYPES[path.extname(name)] ? [name] : [];
  });
}

function fileAnswer(name: string): (c: Context) => Response {
  const content = fs.readFileSync(new URL(name, FILES));
  const packed = gzipSync(content);
  const etag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
  const headers = {
    "Content-Type": TYPES[path.extname(name)]!,
    // The build puts a hash of their content into these names.
    "Cache-Control": name.startsWith("assets/") ? "private, max-age=31536000, immutable" : "no-cache",
    ETag: etag,
    Vary: "Accept-Encoding",
  };
  return (c) => {
    if (c.req.header("if-none-match") === etag) return c.body(null, 304, headers);
    const takesGzip = /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
    if (!takesGzip) return c.body(new Uint8Array(content), 200, headers);
    return c.body(new Uint8Array(packed), 200, { ...headers, "Content-Encoding": "gzip" });
  };
}

const notBuilt = (c: Context) =>
  fault(
    c,
    503,
    "unavailable",
    "The dashboard was not built: run `npm run build`, then start the gateway again",
  );
