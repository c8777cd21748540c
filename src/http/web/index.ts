/** `/api/web/…`: the web chat's API. docs/web-chat.md describes each request. */
import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Me } from "../../adapters/web/api.js";
import { ACCOUNT, PLATFORM } from "../../adapters/web/normalise.js";
import { commands } from "../../commands/index.js";
import { HermesError } from "../../errors.js";
import { MAX_MESSAGE_CHARS } from "../../text-limits.js";
import { TITLE_MAX_CHARS } from "../../title.js";
import { traceFromHeaders, traceIdOf } from "../../trace-id.js";
import { noStore } from "../headers.js";
import { bodyOf, limit, paramsOf, text, whole, withoutUndefined } from "../params.js";
import { clientOf } from "../request.js";
import { type ConversationScope, param, requireRow, scopeOf, type WebChat } from "./chat.js";
import { agentsFor, modelsFor } from "./choices.js";
import {
  allMessages,
  changeConversation,
  conversationAt,
  listConversations,
  openConversation,
} from "./conversations.js";
import { deleteConversation } from "./delete.js";
import { exportName, toJson, toMarkdown } from "./export.js";
import { FILES_PER_MESSAGE, sendAnswerFile, sendUpload, takeUpload } from "./files.js";
import { linkPage, loginRoutes } from "./login-routes.js";
import { editMessage, press, regenerate, sendMessage, switchBranch, withdraw } from "./messages.js";
import { oidcLogin } from "./oidc/routes.js";
import { passwordNames } from "./passwords.js";
import { noteSeen } from "./people.js";
import { isSharingOn, MAX_DAYS, revokeShare, share, sharedConversation, sharesOf } from "./shares.js";
import { type Visitor, visitorOf } from "./visitor.js";

export { startCleanup } from "./cleanup.js";
export { dropFormerOwners } from "./former-owners.js";
export { otherLogins } from "./login-routes.js";
export { watchConversations } from "./watch.js";

const clientId = z.uuid().transform((id) => id.toLowerCase());
const message = {
  clientId,
  text: z.string().max(MAX_MESSAGE_CHARS),
  files: z.array(z.string().max(100)).max(FILES_PER_MESSAGE).default([]),
};
const choice = z.string().min(1).max(200).nullable().optional();

export function webRoutes(app: Hono, chat: WebChat): void {
  const api = new Hono();
  api.use(noStore);
  const visitor = (c: Context) => visitorOf(c, chat.store);
  const scope = async (c: Context) => scopeOf(chat, await visitor(c), param(c, "id"));

  api.get("/me", async (c) => {
    const person = await visitor(c);
    await noteSeen(chat, person);
    return c.json(await meOf(chat, person));
  });
  loginRoutes(app, api, { chat, visitor, me: (person) => meOf(chat, person) });
  api.get("/events", async (c) => events(c, chat, await visitor(c)));

  api.get("/conversations", async (c) => {
    const query = paramsOf(c, { q: text(400), archived: text(1), cursor: text(500), limit });
    return c.json(await listConversations(chat, await visitor(c), query));
  });
  api.get("/conversations/:id", async (c) =>
    c.json(await openConversation(await scope(c), paramsOf(c, { before: whole, limit }))),
  );
  api.patch("/conversations/:id", async (c) => {
    const flag = z.boolean().optional();
    const title = z.string().max(TITLE_MAX_CHARS).optional();
    const change = await bodyOf(c, { title, pinned: flag, archived: flag, model: choice, agent: choice });
    return c.json(await changeConversation(await scope(c), withoutUndefined(change)));
  });
  api.delete("/conversations/:id", async (c) => {
    await deleteConversation(await scope(c));
    return c.body(null, 204);
  });
  api.get("/conversations/:id/export", async (c) => exported(c, await scope(c)));
  messageRoutes(api, scope);
  fileRoutes(api, chat, visitor);
  shareRoutes(api, chat, { visitor, scope });
  app.route("/api/web", api);
  linkPage(app);
}

function messageRoutes(api: Hono, scope: (c: Context) => Promise<ConversationScope>): void {
  const at = "/conversations/:id";
  api.post(`${at}/messages`, async (c) => {
    const body = await bodyOf(c, message);
    return c.json(await sendMessage(traced(c, await scope(c), body.clientId), body), 202);
  });
  api.delete(`${at}/messages/:clientId`, async (c) => {
    await withdraw(await scope(c), param(c, "clientId").toLowerCase());
    return c.body(null, 204);
  });
  api.post(`${at}/stop`, async (c) => {
    const { chat, key } = await scope(c);
    return c.json({ stopped: await chat.gateway.stopTurn(key) });
  });
  api.post(`${at}/regenerate`, async (c) => {
    const { clientId: id } = await bodyOf(c, { clientId });
    return c.json(await regenerate(traced(c, await scope(c), id), id), 202);
  });
  api.post(`${at}/edit`, async (c) => {
    const edit = await bodyOf(c, { ...message, messageId: z.string().min(1).max(100) });
    return c.json(await editMessage(traced(c, await scope(c), edit.clientId), edit), 202);
  });
  api.post(`${at}/branch`, async (c) => {
    const { branch } = await bodyOf(c, { branch: z.string().min(1).max(200) });
    await switchBranch(await scope(c), branch);
    return c.body(null, 204);
  });
  api.post(`${at}/presses`, async (c) => {
    const pressed = await bodyOf(c, { clientId, button: z.string().max(100), text: z.string().max(1000) });
    return c.json(await press(traced(c, await scope(c), pressed.clientId), pressed), 202);
  });
}

/** Uses the caller's trace id if there is one. The response header has the message's trace id. */
function traced(c: Context, scope: ConversationScope, eventId: string): ConversationScope {
  const trace = traceFromHeaders((name) => c.req.header(name));
  c.header("X-Request-Id", trace?.requestId ?? traceIdOf({ platform: PLATFORM, account: ACCOUNT, eventId }));
  return trace ? { ...scope, traceId: trace.traceId } : scope;
}

function fileRoutes(api: Hono, chat: WebChat, visitor: (c: Context) => Promise<Visitor>): void {
  api.post("/files", async (c) => {
    const { name = "file" } = paramsOf(c, { name: text(1000) });
    return c.json(await takeUpload(chat, await visitor(c), name, c), 201);
  });
  api.get("/files/:file", async (c) => sendUpload(c, chat, await visitor(c), param(c, "file")));
  api.get("/sent/:outbox/:index", async (c) => {
    const [outbox, index] = [Number(param(c, "outbox")), Number(param(c, "index"))];
    if (!Number.isSafeInteger(outbox) || !Number.isSafeInteger(index) || index < 0) return c.notFound();
    return sendAnswerFile(c, chat, await visitor(c), outbox, index);
  });
}

interface ShareParts {
  visitor(c: Context): Promise<Visitor>;
  scope(c: Context): Promise<ConversationScope>;
}

function shareRoutes(api: Hono, chat: WebChat, { visitor, scope }: ShareParts): void {
  api.post("/conversations/:id/shares", async (c) => {
    const { days } = await bodyOf(c, { days: z.number().int().min(1).max(MAX_DAYS).optional() });
    return c.json(await share(await scope(c), days), 201);
  });
  api.get("/shares", async (c) => c.json({ shares: await sharesOf(chat, await visitor(c)) }));
  api.delete("/shares/:share", async (c) => {
    await revokeShare(chat, await visitor(c), param(c, "share"));
    return c.body(null, 204);
  });
  api.get("/shared/:secret", async (c) => {
    c.header("X-Robots-Tag", "noindex, nofollow");
    c.header("Referrer-Policy", "no-referrer");
    return c.json(await sharedConversation(chat, param(c, "secret")));
  });
}

async function meOf(chat: WebChat, person: Visitor): Promise<Me> {
  const { media } = chat.config;
  return {
    person,
    logins: { link: true, password: (await passwordNames(chat)).length > 0, oidc: oidcLogin(chat) },
    features: { sharing: isSharingOn(chat), uploads: true },
    models: modelsFor(chat, person),
    agents: agentsFor(chat, person),
    commands: commands.flatMap(({ name, usage = "", description, group }) =>
      group ? [{ name, usage, description }] : [],
    ),
    limits: {
      messageChars: MAX_MESSAGE_CHARS,
      fileBytes: media.max_download_bytes,
      filesPerMessage: FILES_PER_MESSAGE,
      titleChars: TITLE_MAX_CHARS,
    },
  };
}

function events(c: Context, { adapter }: WebChat, { id }: Visitor): Response {
  const cursor = c.req.header("last-event-id") || c.req.query("cursor") || undefined;
  const { outgoing } = c.env as { outgoing?: { destroy(): void } };
  const stream = adapter.inbox && adapter.live.open(id, clientOf(c), cursor, () => outgoing?.destroy());
  if (!stream) {
    c.header("Retry-After", "5");
    throw new HermesError("unavailable", "Too many open tabs, or the gateway is starting or stopping");
  }
  c.header("Content-Type", "text/event-stream; charset=utf-8");
  // Keeps proxies from buffering the stream.
  c.header("X-Accel-Buffering", "no");
  return c.body(stream.body);
}

async function exported(c: Context, scope: ConversationScope): Promise<Response> {
  const { format = "md" } = paramsOf(c, { format: z.enum(["md", "json"]).optional() });
  await requireRow(scope);
  const conversation = (await conversationAt(scope))!;
  const messages = await allMessages(scope);
  const body = format === "md" ? toMarkdown(conversation, messages) : toJson(conversation, messages);
  c.header("Content-Type", `${format === "md" ? "text/markdown" : "application/json"}; charset=utf-8`);
  c.header("Content-Disposition", `attachment; filename="${exportName(conversation, format)}"`);
  return c.body(body);
}
