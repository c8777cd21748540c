/** Serves a file of the package with its type and cache headers, compressed if the browser supports it. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Context } from "hono";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};

/** The names of all files in the folder that have a known type. */
export function filesUnder(root: URL, folder = ""): string[] {
  return fs.readdirSync(new URL(folder, root), { withFileTypes: true }).flatMap((entry) => {
    const name = folder + entry.name;
    if (entry.isDirectory()) return filesUnder(root, `${name}/`);
    return hasType(name) ? [name] : [];
  });
}

/** A handler that responds with this content. `gzipped`: the compressed content, if compression helps. */
export function fileResponse(name: string, content: Buffer, gzipped?: Buffer): (c: Context) => Response {
  const etag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
  const headers = {
    "Content-Type": TYPES[path.extname(name)]!,
    // The build adds content hashes to these names.
    "Cache-Control": name.startsWith("assets/") ? "private, max-age=31536000, immutable" : "no-cache",
    ETag: etag,
    Vary: "Accept-Encoding",
  };
  return (c) => {
    if (c.req.header("if-none-match") === etag) return c.body(null, 304, headers);
    if (!gzipped || !acceptsGzip(c)) return c.body(new Uint8Array(content), 200, headers);
    return c.body(new Uint8Array(gzipped), 200, { ...headers, "Content-Encoding": "gzip" });
  };
}

function acceptsGzip(c: Context): boolean {
  return /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
}

export function hasType(name: string): boolean {
  return TYPES[path.extname(name)] !== undefined;
}
