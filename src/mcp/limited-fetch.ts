/** `fetch` for HTTP servers: no message of an answer can be longer than the limit. */
import { LineLimit } from "./line-limit.js";

export const limitedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const { body, status, statusText, headers } = response;
  if (!body) return response;
  const limited = new Response(body.pipeThrough(limitLines()), { status, statusText, headers });
  Object.defineProperty(limited, "url", { value: response.url });
  return limited;
};

function limitLines(): TransformStream<Uint8Array, Uint8Array> {
  const limit = new LineLimit();
  const encoder = new TextEncoder();
  return new TransformStream({
    transform(chunk, controller) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      for (const line of limit.push(bytes)) controller.enqueue(encoder.encode(`${line}\n`));
    },
    flush(controller) {
      const rest = limit.rest();
      if (rest !== "") controller.enqueue(encoder.encode(rest));
    },
  });
}
