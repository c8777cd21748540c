/** Telegram's calls → checked, taken in, answered. The answer is the acknowledgement: 200 only when the inbox has it. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Update } from "grammy/types";

export interface WebhookParts {
  secret: string;
  /** Undefined while we are not connected: Telegram tries again later. */
  take: ((update: Update) => Promise<void>) | undefined;
}

/** An update is some kilobytes; files come separately. */
const LONGEST_BODY_BYTES = 1024 * 1024;
export const WRONG_SECRET = "Wrong secret";
const SECRET_HEADER = "x-telegram-bot-api-secret-token";

export async function answerWebhook(request: Request, { secret, take }: WebhookParts): Promise<Response> {
  if (request.method !== "POST") return says(405, "Only POST");
  if (!isSame(request.headers.get(SECRET_HEADER) ?? "", secret)) return says(401, WRONG_SECRET);
  if (!take) return says(503, "Not connected");
  const body = await readLimited(request);
  if (body === undefined) return says(413, "Too long");
  const update = parsed(body);
  if (!update) return says(400, "No update");
  try {
    await take(update);
    return says(200, "");
  } catch {
    return says(503, "Not taken");
  }
}

const says = (status: number, text: string) => new Response(text, { status });

/** In the same time, however much of it is right. */
function isSame(given: string, secret: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

async function readLimited(request: Request): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > LONGEST_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(body: string): Update | undefined {
  try {
    const update: unknown = JSON.parse(body);
    const isUpdate = typeof update === "object" && update !== null && "update_id" in update;
    return isUpdate ? (update as Update) : undefined;
  } catch {
    return undefined;
  }
}
