/** A platform's calls to us: authenticated, parsed, received, answered. 200 only when the inbox has the event. */
import { createHmac } from "node:crypto";
import { isSameSecret } from "../../secret.js";
import { withTimeout } from "../../timeout.js";

export interface WebhookCall {
  url: URL;
  headers: Headers;
  /** As it came: signatures are over these bytes. */
  body: Buffer;
}

export interface WebhookRoute<T> {
  /** A secret in a header is checked before the body is read, a signature after. */
  auth: { header(headers: Headers): boolean } | { signature(call: WebhookCall): boolean };
  /** Undefined or an exception: the body makes no sense (400). */
  parse(call: WebhookCall): T | undefined;
  /** Answers that need no inbox, such as the challenge that verifies our address. */
  reply?(item: T): Response | undefined;
  /** Resolves when the inbox has it, with undefined for a plain 200; the platform retries if it rejects. Left undefined: not connected now. */
  receive: ((item: T) => Promise<Response | undefined>) | undefined;
  /** Answers GET requests, with which some platforms verify our address; left out: 405. */
  handshake?(url: URL): Response;
  maxBodyBytes?: number;
  bodyTimeoutMs?: number;
}

/** Files come separately: an event is some kilobytes. */
const MAX_BODY_BYTES = 1024 * 1024;
const BODY_TIMEOUT_MS = 10_000;

/** The body of a 401. A probe from outside recognises our own server by it. */
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
  if (body === "late") return plain(408, "The body didn't come in time");
  if (body === undefined) return plain(413, "Too long");
  const call = { url: new URL(url), headers, body };
  if ("signature" in route.auth && !route.auth.signature(call)) return plain(401, UNAUTHORIZED);
  return answer(call, route);
}

async function answer<T>(call: WebhookCall, route: WebhookRoute<T>): Promise<Response> {
  const item = parsed(call, route);
  if (item === undefined) return plain(400, "Not an event");
  const direct = route.reply?.(item);
  if (direct) return direct;
  if (!route.receive) return plain(503, "Not connected");
  try {
    return (await route.receive(item)) ?? plain(200, "");
  } catch {
    return plain(503, "Not received, deliver it again");
  }
}

function parsed<T>(call: WebhookCall, route: WebhookRoute<T>): T | undefined {
  try {
    return route.parse(call);
  } catch {
    return undefined;
  }
}

/** Undefined: too long. Rejects when it takes too long or breaks off. */
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
  /** What is signed, one piece after the other. */
  signed: readonly (string | Uint8Array)[];
  /** The signature as the call gives it, without a prefix such as `sha256=`. */
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
