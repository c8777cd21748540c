/** The files of a page, as the build left them: read once, served from memory, packed where the browser likes it. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { Context } from "hono";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
};

/** By their names below the folder. Only what lies in it has an answer, so there is no path to traverse. */
export function pageFiles(folder: URL): Map<string, (c: Context) => Response> {
  const names = fs.existsSync(folder) ? namesUnder(folder, "") : [];
  return new Map(names.map((name) => [name, fileAnswer(folder, name)]));
}

function namesUnder(root: URL, folder: string): string[] {
  return fs.readdirSync(new URL(folder, root), { withFileTypes: true }).flatMap((entry) => {
    const name = folder + entry.name;
    if (entry.isDirectory()) return namesUnder(root, `${name}/`);
    return TYPES[path.extname(name)] ? [name] : [];
  });
}

function fileAnswer(root: URL, name: string): (c: Context) => Response {
  const content = fs.readFileSync(new URL(name, root));
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
