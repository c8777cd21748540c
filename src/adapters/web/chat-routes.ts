/** `/api/chat/*`: the page's requests, each for its own browser's chat. */
import type { Context, Hono } from "hono";
import { nowSeconds } from "../../clock.js";
import type { InboundMessage } from "../../message.js";
import { traceFromHeaders, traceIdOf } from "../../trace-id.js";
import { browserChatId } from "./browser.js";
import type { EventStream } from "./event-stream.js";
import { sendFile } from "./files.js";
import type { Hub } from "./hub.js";
import { normalise, normalisePress } from "./normalise.js";
import { outboxId, type RecentIds } from "./recent.js";
import type { WebLogEntry, WebOptions } from "./types.js";

export interface Chat extends Pick<WebOptions, "session" | "sessions" | "commands" | "file" | "clientOf"> {
  hub: Hub;
  announced: RecentIds;
  /** The log, including messages that were just sent. */
  log(chatId: string): Promise<WebLogEntry[]>;
  /** Resolves when the inbox has it; undefined while the gateway isn't connected. */
  receive: ((message: InboundMessage) => Promise<void>) | undefined;
}

export function chatApi(app: Hono, chat: Chat): void {
  // Responses are private to one browser.
  app.use("/api/chat/*", async (c, next) => {
    c.header("Cache-Control", "no-store");
    await next();
  });
  app.post("/api/chat/messages", (c) => postMessage(c, chat));
  app.post("/api/chat/presses", (c) => post(c, chat, normalisePress));
  app.get("/api/chat/events", (c) => openEvents(c, chat));
  app.get("/api/chat/log", async (c) => c.json({ entries: await chat.log(browserChatId(c)) }));
  app.get("/api/chat/commands", (c) =>
    c.json({
      commands: chat.commands.map(({ name, usage, description }) => ({
        name,
        usage: usage ?? "",
        description,
      })),
    }),
  );
  app.get("/api/chat/session", async (c) => {
    const chatId = browserChatId(c);
    return c.json({ chat: chatId, session: await chat.session(chatId) });
  });
  app.get("/api/chat/files/:id/:index", (c) =>
    chat.file ? sendFile(c, browserChatId(c), chat.file) : c.notFound(),
  );
  app.get("/api/chat/sessions", async (c) => c.json({ sessions: await chat.sessions(browserChatId(c)) }));
}

function postMessage(c: Context, chat: Chat): Promise<Response> {
  return post(c, chat, normalise, ({ eventId: id, text, sentAt: at, origin }) => {
    // For the browser's other tabs. A resent message is in their log already.
    if (chat.announced.add(id)) chat.hub.push(origin.chatId!, { event: "sent", data: { id, text, at } });
  });
}

async function post(
  c: Context,
  chat: Chat,
  read: typeof normalise,
  onStored: (message: InboundMessage) => void = () => undefined,
): Promise<Response> {
  // Another site's form could post text/plain without asking first.
  if (!c.req.header("content-type")?.startsWith("application/json"))
    return fault(c, 415, "invalid", "Send JSON: Content-Type: application/json");
  const chatId = browserChatId(c);
  const normalised = read(await c.req.json().catch(() => undefined), chatId, nowSeconds());
  if ("fault" in normalised) return fault(c, 400, "invalid", normalised.fault);
  if (!chat.receive) return notNow(c, "The gateway is starting or stopping; try again in a moment");
  const given = traceFromHeaders((name) => c.req.header(name));
  const message = { ...normalised.message, ...(given ? { traceId: given.traceId } : {}) };
  c.header("X-Request-Id", given?.requestId ?? traceIdOf(message));
  await chat.receive(message);
  onStored(message);
  return c.json({ accepted: true, chat: chatId }, 202);
}

async function openEvents(c: Context, chat: Chat): Promise<Response> {
  const chatId = browserChatId(c);
  const stream = chat.receive && chat.hub.subscribe(chatId, chat.clientOf(c), () => cutStream(c));
  if (!stream) return notNow(c, "Too many open tabs, or the gateway is starting or stopping");
  c.header("Content-Type", "text/event-stream; charset=utf-8");
  // Keep proxies from buffering the stream.
  c.header("X-Accel-Buffering", "no");
  stream.push({ event: "hello", data: { chat: chatId } });
  try {
    await catchUp(stream, chat, chatId, lastSeen(c));
  } catch (error) {
    stream.close();
    throw error;
  }
  return c.body(stream.body);
}

/** Live events during the read may be in the log, too: the page drops repeats by id. */
async function catchUp(
  stream: EventStream,
  chat: Chat,
  chatId: string,
  after: number | undefined,
): Promise<void> {
  stream.push({ event: "session", data: (await chat.session(chatId)) ?? { id: null, title: null } });
  if (after === undefined) return;
  for (const entry of await chat.log(chatId)) {
    const id = outboxId(entry);
    if (id !== undefined && id > after) stream.push({ event: "message", id, data: entry });
  }
}

/** The browser's own header after a lost connection; `after` for a page that has just read the log. */
function lastSeen(c: Context): number | undefined {
  const text = c.req.header("last-event-id") || c.req.query("after");
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Ends the event stream of a tab that doesn't read. */
function cutStream(c: Context): void {
  const { outgoing } = (c.env ?? {}) as { outgoing?: { destroy(): void } };
  outgoing?.destroy();
}

function notNow(c: Context, message: string): Response {
  c.header("Retry-After", "5");
  return fault(c, 503, "unavailable", message);
}

function fault(c: Context, status: 400 | 415 | 503, code: string, message: string): Response {
  return c.json({ error: { code, message } }, status);
}
