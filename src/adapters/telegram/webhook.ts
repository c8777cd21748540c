/** Telegram's calls to our webhook, authenticated by a secret in a header. */
import type { Update } from "grammy/types";
import { isSameSecret } from "../../secret.js";
import { answerWebhook, type WebhookCall } from "../kit/webhook-route.js";

const SECRET_HEADER = "x-telegram-bot-api-secret-token";

export interface UpdateWebhook {
  secret: string;
  /** Undefined while we are not connected: Telegram retries. */
  receive: ((update: Update) => Promise<void>) | undefined;
  onRejected(): void;
}

export function answerUpdate(request: Request, webhook: UpdateWebhook): Promise<Response> {
  const { secret, receive, onRejected } = webhook;
  return answerWebhook(request, {
    auth: { header: (headers) => isSameSecret(headers.get(SECRET_HEADER) ?? "", secret) },
    parse: parseUpdate,
    receive: receive && ((update) => receive(update).then(() => undefined)),
    onRejected,
  });
}

function parseUpdate({ body }: WebhookCall): Update | undefined {
  const update: unknown = JSON.parse(body.toString("utf8"));
  const isUpdate = typeof update === "object" && update !== null && "update_id" in update;
  return isUpdate ? (update as Update) : undefined;
}
