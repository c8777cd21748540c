/** The Events API over HTTP: Bolt checks and parses a request, and it gets its 200 once the event is stored. */
import type { HTTPModuleFunctions } from "@slack/bolt";
import { answerWebhook, type WebhookCall } from "../kit/webhook-route.js";
import type { Delivery } from "./bolt.js";

const WINDOW_SECONDS = 300;
const MAX_BODY_BYTES = 2 * 1024 * 1024;

export interface HttpParts {
  signingSecret: string;
  /** Undefined while not connected; rejects when the event isn't stored. */
  take: ((delivery: Delivery) => Promise<unknown>) | undefined;
  onSigned(): void;
  /** The request has a signature, but of another secret or another time. */
  onBadSignature(): void;
}

type Bolt = typeof HTTPModuleFunctions & typeof import("@slack/bolt/dist/receivers/verify-request.js");
type BufferedRequest = Parameters<Bolt["parseHTTPRequestBody"]>[0];

export async function handleRequest(request: Request, parts: HttpParts): Promise<Response> {
  const bolt = await loadBolt();
  const { take } = parts;
  return await answerWebhook(request, {
    auth: { signature: (call) => checkSignature(bolt, call, parts) },
    parse: (call) => parse(bolt, call),
    reply: ({ body }) =>
      body.type === "url_verification" ? Response.json({ challenge: body.challenge }) : undefined,
    receive: take && (async (delivery) => toResponse(await take(delivery))),
    maxBodyBytes: MAX_BODY_BYTES,
  });
}

async function loadBolt(): Promise<Bolt> {
  const [functions, verify] = await Promise.all([
    import("@slack/bolt/dist/receivers/HTTPModuleFunctions.js"),
    import("@slack/bolt/dist/receivers/verify-request.js"),
  ]);
  return { ...functions, ...verify };
}

function checkSignature(bolt: Bolt, { headers, body }: WebhookCall, parts: HttpParts): boolean {
  const signature = headers.get("x-slack-signature") ?? "";
  const timestamp = Number(headers.get("x-slack-request-timestamp") ?? Number.NaN);
  const isSigned =
    // Bolt rejects old requests, but accepts any time in the future.
    timestamp <= Date.now() / 1000 + WINDOW_SECONDS &&
    bolt.isValidSlackRequest({
      signingSecret: parts.signingSecret,
      body: body.toString(),
      headers: { "x-slack-signature": signature, "x-slack-request-timestamp": timestamp },
    });
  if (isSigned) parts.onSigned();
  else if (signature !== "") parts.onBadSignature();
  return isSigned;
}

function parse(bolt: Bolt, { headers, body: rawBody }: WebhookCall) {
  // Bolt compares the whole header.
  const contentType = headers.get("content-type")?.split(";")[0];
  const request = {
    rawBody,
    headers: { ...Object.fromEntries(headers), "content-type": contentType },
  } as BufferedRequest;
  const body: unknown = bolt.parseHTTPRequestBody(request);
  if (typeof body !== "object" || body === null) return undefined;
  return {
    body: body as Record<string, unknown>,
    retryNum: bolt.extractRetryNumFromHTTPRequest(request),
    retryReason: bolt.extractRetryReasonFromHTTPRequest(request),
  };
}

function toResponse(response: unknown): Response | undefined {
  if (!response) return undefined;
  return typeof response === "string" ? new Response(response) : Response.json(response);
}
