/** The Events API over HTTP: a signed request → the inbox → 200. Anything else makes Slack deliver again. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Delivered } from "./intake.js";

const WINDOW_SECONDS = 300;
const LONGEST_BODY = 2 * 1024 * 1024;

export interface HttpParts {
  signingSecret: string;
  /** Undefined while the adapter isn't connected; rejects when the inbox didn't take it. */
  accept(delivered: Delivered): Promise<void> | undefined;
  /** It came from Slack. */
  onProof(): void;
  /** It claims to, but its signature is of another secret or another time. */
  onForged(): void;
}

export async function handleRequest(request: Request, parts: HttpParts): Promise<Response> {
  if (request.method !== "POST") return plain(405, "POST only");
  const body = await readBody(request);
  if (body === undefined) return plain(413, "too large");
  if (!isSigned(request.headers, body, parts.signingSecret, Date.now() / 1000)) {
    if (request.headers.get("x-slack-signature")) parts.onForged();
    return plain(401, "not signed");
  }
  const parsed = parse(request.headers.get("content-type") ?? "", body);
  if (!parsed) return plain(400, "neither JSON nor a form");
  parts.onProof();
  if (parsed.type === "url_verification") return Response.json({ challenge: parsed.challenge });
  const accepted = parts.accept(parsed);
  if (!accepted) return plain(503, "not connected");
  try {
    await accepted;
    return new Response(null, { status: 200 });
  } catch {
    return plain(500, "not received, deliver it again");
  }
}

function plain(status: number, text: string): Response {
  return new Response(text, { status, headers: { "content-type": "text/plain" } });
}

async function readBody(request: Request): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > LONGEST_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** HMAC over the body as it came, not older than five minutes, compared in constant time. */
export function isSigned(headers: Headers, body: string, secret: string, now: number): boolean {
  const timestamp = headers.get("x-slack-request-timestamp") ?? "";
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > WINDOW_SECONDS) return false;
  const expected = `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")}`;
  const given = Buffer.from(headers.get("x-slack-signature") ?? "");
  return given.length === expected.length && timingSafeEqual(given, Buffer.from(expected));
}

type Parsed = Delivered & { challenge?: unknown };

function parse(contentType: string, body: string): Parsed | undefined {
  if (contentType.startsWith("application/x-www-form-urlencoded"))
    return parseForm(new URLSearchParams(body));
  try {
    const json = JSON.parse(body) as { type?: unknown; challenge?: unknown };
    if (typeof json !== "object" || json === null) return undefined;
    if (json.type === "url_verification")
      return { type: "url_verification", body: json, challenge: json.challenge };
    return { type: "events_api", body: json };
  } catch {
    return undefined;
  }
}

/** Commands are fields, interactions one field of JSON that nobody here reads. */
function parseForm(form: URLSearchParams): Parsed {
  if (form.has("command")) return { type: "slash_commands", body: Object.fromEntries(form) };
  return { type: form.has("payload") ? "interactive" : "ssl_check", body: {} };
}
