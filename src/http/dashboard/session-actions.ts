/** The operator's actions on a session: take over, reply, stop, rename, end, delete, export. */
import type { Context, Hono } from "hono";
import { z } from "zod";
import { nowSeconds } from "../../clock.js";
import { HermesError } from "../../errors.js";
import { formatTarget, type Target } from "../../message.js";
import { isTakenOver, type RouteRow } from "../../store/queues.js";
import type { ExportedSession } from "../../store/store.js";
import { queueSend } from "../../targets/send.js";
import { bodyOf, paramsOf } from "../params.js";
import { toMarkdown } from "./markdown-export.js";
import { gone, operatorLog } from "./operator.js";
import type { DashboardOptions } from "./options.js";

const MAX_TEXT = 100_000;
const MAX_TITLE = 500;
const MAX_CHATS = 100;

const messageText = z
  .string()
  .max(MAX_TEXT)
  .refine((text) => text.trim() !== "", "must not be empty");
/** Repeated requests with the same key send once. */
const key = z.string().min(1).max(200).optional();

export function sessionActionRoutes(api: Hono, options: DashboardOptions): void {
  takeoverRoutes(api, options);
  manageRoutes(api, options);
  const { store, gateway, targets } = options;
  const note = operatorLog(options);

  api.post("/send", async (c) => {
    const { to, ...message } = await bodyOf(c, { to: z.string().min(1).max(500), text: messageText, key });
    gateway.requireAccepting();
    const { id, target } = await queueSend(store, { to, ...message }, targets);
    gateway.wake();
    await note(c, "send", { to: formatTarget(target), id: `out:${id}` });
    return c.json({ id: `out:${id}`, to: formatTarget(target) });
  });
}

function takeoverRoutes(api: Hono, options: DashboardOptions): void {
  const { store, gateway, loaded } = options;
  const note = operatorLog(options);
  const until = () => nowSeconds() + loaded.config.http.takeover_minutes * 60;

  api.post("/sessions/:id/takeover", async (c) => {
    await bodyOf(c, {});
    const { sessionKey, sessionId } = await liveRoute(options, idOf(c));
    const humanUntil = until();
    if (!(await gateway.takeOver(sessionKey, humanUntil))) throw left(sessionId);
    await note(c, "takeover", { sessionId, sessionKey, humanUntil });
    return c.json({ humanUntil });
  });

  api.post("/sessions/:id/handback", async (c) => {
    await bodyOf(c, {});
    const { sessionKey, sessionId } = await liveRoute(options, idOf(c));
    if (!(await gateway.takeOver(sessionKey, null))) throw left(sessionId);
    await note(c, "handback", { sessionId, sessionKey });
    return c.json({ humanUntil: null });
  });

  api.post("/sessions/:id/reply", async (c) => {
    const { text, key: once } = await bodyOf(c, { text: messageText, key });
    gateway.requireAccepting();
    const route = await liveRoute(options, idOf(c));
    const { sessionId, sessionKey } = route;
    const reply = { target: await targetOfRoute(store, route), kind: "answer" as const, text, sessionKey };
    const asHuman = { sessionId, until: until() };
    const id = await gateway.replyAsHuman({ ...reply, asHuman }, once);
    await note(c, "reply", { sessionId, sessionKey, id: `out:${id}` });
    return c.json({ id: `out:${id}`, humanUntil: asHuman.until });
  });

  api.post("/sessions/:id/stop", async (c) => {
    await bodyOf(c, {});
    const { sessionKey, sessionId } = await liveRoute(options, idOf(c));
    if (!gateway.interrupt(sessionKey)) throw gone("No turn is running in this session.");
    await note(c, "stop", { sessionId, sessionKey });
    return c.json({ stopped: sessionId });
  });
}

function manageRoutes(api: Hono, options: DashboardOptions): void {
  const { store, gateway } = options;
  const note = operatorLog(options);

  api.post("/sessions/:id/rename", async (c) => {
    const { title } = await bodyOf(c, { title: z.string().max(MAX_TITLE).nullable() });
    const id = idOf(c);
    if (!(await store.setTitle(id, title))) throw missing(id);
    await note(c, "rename", { sessionId: id });
    return c.json({ renamed: id });
  });

  api.post("/sessions/:id/end", async (c) => {
    await bodyOf(c, {});
    const route = await liveRoute(options, idOf(c));
    if (!(await gateway.endSession(route))) throw left(route.sessionId);
    await note(c, "end", { sessionId: route.sessionId, sessionKey: route.sessionKey });
    return c.json({ ended: route.sessionId });
  });

  api.post("/sessions/:id/delete", async (c) => {
    await bodyOf(c, {});
    const id = idOf(c);
    if (!(await gateway.deleteSession(id))) throw missing(id);
    await note(c, "delete", { sessionId: id });
    return c.json({ deleted: id });
  });

  api.get("/sessions/:id/export", async (c) => {
    const { format } = paramsOf(c, { format: z.enum(["json", "markdown"]).default("json") });
    const id = idOf(c);
    const session = await exported(store, id);
    const [type, ending, text] =
      format === "json"
        ? ["application/json", "json", JSON.stringify(session, null, 2)]
        : ["text/markdown; charset=utf-8", "md", toMarkdown(session)];
    await note(c, "export", { sessionId: id, format });
    return c.body(text, 200, {
      "Content-Type": type,
      "Content-Disposition": `attachment; filename="session-${id.replace(/[^\w-]/g, "_")}.${ending}"`,
    });
  });
}

const idOf = (c: Context): string => c.req.param("id") ?? "";

/** Whether the session is a chat's current one, whether it has a turn, and until when a human answers. */
export async function stateOf(
  { store, gateway }: Pick<DashboardOptions, "store" | "gateway">,
  { id, session_key }: { id: string; session_key: string | null },
): Promise<{ live: boolean; busy: boolean; human_until: number | null }> {
  const route = session_key === null ? undefined : await store.getRoute(session_key);
  if (route?.sessionId !== id || route.expiredReason !== null)
    return { live: false, busy: false, human_until: null };
  return {
    live: true,
    busy: gateway.isBusy(route.sessionKey),
    human_until: isTakenOver(route, nowSeconds()) ? route.humanUntil : null,
  };
}

/** The route whose current session this is. */
async function liveRoute({ store }: Pick<DashboardOptions, "store">, id: string): Promise<RouteRow> {
  const { routes } = await store.listRoutes({ sessionId: id });
  const route = routes.find((one) => one.expiredReason === null);
  if (route) return route;
  throw (await store.getSession(id)) ? left(id) : missing(id);
}

async function targetOfRoute(store: DashboardOptions["store"], { origin }: RouteRow): Promise<Target> {
  const { platform, chatId, threadId = null, chatType, userId = null } = origin;
  const query = { platform, limit: MAX_CHATS, ...(chatId === null ? {} : { called: chatId }) };
  const chats = await store.knownChats(query);
  const chat = chats.find((one) => one.chatId === chatId && one.threadId === threadId);
  return { platform, account: chat?.account ?? "", chatType, chatId, threadId, userId, replyTo: null };
}

async function exported(store: DashboardOptions["store"], id: string): Promise<ExportedSession> {
  for await (const session of store.exportSessions({ sessionId: id })) return session;
  throw missing(id);
}

function missing(id: string): HermesError {
  return new HermesError("not_found", `Session '${id}' doesn't exist (any more).`);
}

function left(id: string): HermesError {
  return new HermesError("conflict", `Session '${id}' isn't the current session of a chat (any more).`, {
    hint: "Its chat has a newer session; look under Sessions.",
  });
}
