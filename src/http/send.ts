/** `/api/send`: programs with the token send messages through the outbox. */
import type { Context, Hono } from "hono";
import { z } from "zod";
import { HermesError } from "../errors.js";
import { type OutgoingRules, takeFiles } from "../media/outgoing.js";
import type { Target } from "../message.js";
import type { Store } from "../store/store.js";
import { awaitDelivery, describeSend, queueSend } from "../targets/send.js";
import type { KnownTargets } from "../targets/target.js";
import { fault } from "./faults.js";
import { requestTrace } from "./request-id.js";

export interface SendParts {
  store: Store;
  targets: Omit<KnownTargets, "chats">;
  /** Required: without a token any program on this machine could write as the bot. */
  hasToken: boolean;
  /** Which files may be sent to a chat. */
  outgoing(target: Target): OutgoingRules;
  /** Throws while the gateway accepts no messages. */
  requireAccepting(): void;
  /** Makes the outbox send now. */
  wake(): void;
}

const WAIT_SECONDS = 30;

const bodySchema = z.strictObject({
  to: z.string().min(1),
  text: z.string().default(""),
  /** Paths on the gateway's machine, in folders from which files may be sent. */
  files: z.array(z.string().min(1)).min(1).max(10).optional(),
  key: z.string().min(1).max(200).optional(),
  /** Seconds to wait for the delivery. */
  wait: z.number().min(0).max(WAIT_SECONDS).optional(),
});

export function sendRoutes(app: Hono, parts: SendParts): void {
  app.use("/api/send/*", async (c, next) => {
    if (!parts.hasToken)
      return fault(c, 403, "refused", "Sending over HTTP needs a token: set http.token (HERMES_HTTP_TOKEN)");
    c.header("Cache-Control", "no-store");
    await next();
  });
  app.post("/api/send", (c) => send(c, parts));
  app.get("/api/send/:id", async (c) => {
    const row = await parts.store.getDelivery(
      Number(/^(?:out:)?(\d{1,15})$/.exec(c.req.param("id"))?.[1] ?? -1),
    );
    if (!row) return fault(c, 404, "not_found", "There is no such message");
    return c.json(describeSend(row));
  });
}

async function send(c: Context, parts: SendParts): Promise<Response> {
  const { store, targets, outgoing, wake } = parts;
  parts.requireAccepting();
  const body = readBody(await c.req.json().catch(() => undefined));
  const key = c.req.header("idempotency-key") ?? body.key;
  const { traceId } = requestTrace(c);
  const paths = body.files?.map((path) => ({ path }));
  const files = paths && ((target: Target) => takeFiles(paths, outgoing(target)));
  const { id } = await queueSend(store, { to: body.to, text: body.text, key, traceId, files }, targets);
  wake();
  const row = await awaitDelivery(store, id, (body.wait ?? 0) * 1000);
  return c.json(describeSend(row), row.state === "pending" || row.state === "sending" ? 202 : 200);
}

function readBody(json: unknown): z.output<typeof bodySchema> {
  const parsed = bodySchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".");
  throw new HermesError(
    "invalid",
    `The body is not a valid message${where ? `: ${where}: ${issue?.message}` : ""}.`,
    {
      hint: '{"to": "platform:chat", "text": "…", "files"?: [paths], "key"?: "…", "wait"?: seconds}',
    },
  );
}
