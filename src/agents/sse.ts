import { HermesError } from "../errors.js";

const MAX_LINE_CHARS = 1_000_000;
const MAX_BODY_CHARS = 4_000_000;

/** The JSON values of a stream of server-sent events, or the one value of an ordinary response. */
export async function* readEvents(response: Response, signal: AbortSignal): AsyncGenerator<unknown> {
  if (!response.body) return;
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
  if (!isStream) {
    yield JSON.parse(await wholeText(response.body));
    return;
  }
  for await (const line of linesOf(response.body)) {
    signal.throwIfAborted();
    if (!line.startsWith("data:")) continue;
    const data = line.slice("data:".length).trim();
    if (data === "[DONE]") return;
    if (data !== "") yield JSON.parse(data);
  }
}

async function wholeText(body: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const piece of textOf(body)) {
    text += piece;
    if (text.length > MAX_BODY_CHARS) throw new HermesError("invalid", "The response is too long");
  }
  return text;
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of textOf(body)) {
    const lines = piece.includes("\n") ? (rest + piece).split("\n") : [rest + piece];
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_CHARS) throw new HermesError("invalid", "A line of the response is too long");
    for (const line of lines) yield line.trimEnd();
  }
  if (rest !== "") yield rest.trimEnd();
}

async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of body) yield decoder.decode(bytes, { stream: true });
}
