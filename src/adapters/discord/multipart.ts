/** A message with files → the body of its request. */
import { readFile } from "node:fs/promises";
import type { SendableFile } from "../../media/outgoing.js";

/**
 * Encoded here, because the SDK's own FormData fails if another version of undici has been loaded before: the versions share
 * one global dispatcher and don't recognise each other's classes.
 */
export async function multipart(message: object, files: readonly SendableFile[]) {
  const form = new FormData();
  for (const [i, { file, name, mimeType }] of files.entries())
    form.append(`files[${i}]`, new Blob([await readFile(file)], { type: mimeType }), name);
  form.append("payload_json", JSON.stringify(message));
  const encoded = new Response(form);
  return {
    body: Buffer.from(await encoded.arrayBuffer()),
    headers: { "content-type": encoded.headers.get("content-type")! },
    passThroughBody: true as const,
  };
}
