/** `/api/chat/files/34/0`: the first file of the message `out:34`, for the browser that it was sent to. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import type { Context } from "hono";
import type { WebOptions } from "./types.js";

/** Types that the browser may display; others are downloads, so that no foreign page runs on our origin. */
const SHOWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export async function sendFile(
  c: Context,
  chatId: string,
  find: NonNullable<WebOptions["file"]>,
): Promise<Response> {
  const [id, index] = [Number(c.req.param("id")), Number(c.req.param("index"))];
  const valid = Number.isSafeInteger(id) && Number.isSafeInteger(index) && index >= 0;
  const file = valid ? await find(chatId, id, index) : undefined;
  const size = file && (await stat(file.file).catch(() => undefined))?.size;
  if (!file || size === undefined) return c.notFound();
  const shown = SHOWN.has(file.mimeType);
  c.header("Content-Type", shown ? file.mimeType : "application/octet-stream");
  c.header("Content-Length", String(size));
  const name = encodeURIComponent(file.name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16)}`,
  );
  c.header("Content-Disposition", `${shown ? "inline" : "attachment"}; filename*=UTF-8''${name}`);
  return c.body(Readable.toWeb(createReadStream(file.file)) as ReadableStream<Uint8Array>);
}
