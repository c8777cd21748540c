/** Handles a platform's webhook calls: authenticates, parses, receives, answers. Returns 200 only once the inbox has stored the event. */
import { createHmac } from "node:crypto";
import { isSameSecret } from "../../secret.js";
import { withTimeout } from "../../timeout.js";

export interface WebhookCall {
  url: URL;
  headers: Headers;
  /** The raw bytes, which signatures cover. */
  body: Buffer;
}

export interface WebhookRoute<T> {
  /** A secret in a header is checked before the body is read, a signature after. */
  auth: { header(headers: Headers): boolean } | { signature(call: WebhookCall): boolean };
  /** Returns undefined or throws if the body is invalid (400). */
  parse(call: WebhookCall): T | undefined;
  /** Responses without the inbox, such as a challenge that verifies our address. */
  reply?(item: T): Response | undefined;
  /** Resolves when the inbox has stored the event, with undefined for a plain 200. If it rejects, the platform retries. Undefined while not connected. */
  receive: ((item: T) => Promise<Response | undefined>) | undefined;
  /** Called with the error if `receive` rejects, for logs and health. */
  onRejected?(error: unknown): void;
  /** Answers GET requests, which some platforms use to verify our address. Default: 405. */
  handshake?(url: URL): Response;
  maxBodyBytes?: number;
  bodyTimeoutMs?: number;
}

/** Files are sent separately, so an event is a few kilobytes. */
const MAX_BODY_BYTES = 1024 * 1024;
const BODY_TIMEOUT_MS = 10_000;

/** The body of a 401, by which the address check recognises this gateway. */
export const UNAUTHORIZED = "Wrong secret or signature";

export async function answerWebhook<T>(request: Request, route: WebhookRoute<T>): Promise<Response> {
  const { url, headers, method } = request;
  if (method === "GET" && route.handshake) return route.handshake(new URL(url));
  if (method !== "POST") return plain(405, "Only POST");
  if ("header" in route.auth) {
    if (!route.auth.header(headers)) return plain(401, UNAUTHORIZED);
    if (!route.receive) return plain(503, "Not connected");
  }
  const body = await readBody(request, route).catch(() => "late" as const);
  if (body === "late") return plain(408, "The request body timed out");
  if (body === undefined) return plain(413, "Too long");
  const call = { url: new URL(url), headers, body };
  if ("signature" in route.auth && !route.auth.signature(call)) return plain(401, UNAUTHORIZED);
  return answer(call, route);
}

async function answer<T>(call: WebhookCall, route: WebhookRoute<T>): Promise<Response> {
  const item = parsed(call, route);
  if (item === undefined) return plain(400, "Invalid event");
  const direct = route.reply?.(item);
  if (direct) return direct;
  if (!route.receive) return plain(503, "Not connected");
  try {
    return (await route.receive(item)) ?? plain(200, "");
  } catch (error) {
    route.onRejected?.(error);
    return plain(503, "Not stored, please retry");
  }
}

function parsed<T>(call: WebhookCall, route: WebhookRoute<T>): T | undefined {
  try {
    return route.parse(call);
  } catch {
    return undefined;
  }
}

/** Undefined if it is too long. Rejects on a timeout or a truncated body. */
async function readBody<T>(request: Request, route: WebhookRoute<T>): Promise<Buffer | undefined> {
  const { maxBodyBytes = MAX_BODY_BYTES, bodyTimeoutMs = BODY_TIMEOUT_MS } = route;
  const reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const read = async () => {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      bytes += next.value.byteLength;
      if (bytes > maxBodyBytes) return undefined;
      chunks.push(next.value);
    }
    return Buffer.concat(chunks);
  };
  try {
    return await withTimeout(read(), bodyTimeoutMs);
  } finally {
    void reader?.cancel().catch(() => undefined);
  }
}

export interface HmacCheck {
  secret: string;
  /** The signed content, in pieces. */
  signed: readonly (string | Uint8Array)[];
  /** The received signature, without a prefix such as `sha256=`. */
  given: string | null | undefined;
  algorithm?: "sha256" | "sha1";
  encoding?: "hex" | "base64";
}

/** Compares in constant time. */
export function isHmacOf({ secret, signed, given, algorithm = "sha256", encoding = "hex" }: HmacCheck) {
  const hmac = createHmac(algorithm, secret);
  for (const piece of signed) hmac.update(piece);
  return isSameSecret(given ?? "", hmac.digest(encoding));
}

function plain(status: number, text: string): Response {
  return new Response(text, { status, headers: { "content-type": "text/plain" } });
}
