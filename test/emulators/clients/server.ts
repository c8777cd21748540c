/** The page with the chat clients side by side: its files, its state as an event stream, and what people do on it. */
import { once } from "node:events";
import fs from "node:fs";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ChatClient, ChatView, Press, Saying } from "./client.js";

export interface PageOptions {
  clients: readonly ChatClient[];
  title: string;
  port: number;
  host?: string;
  /** More that the page shows: the tour and the state of the gateway. */
  extra?(): object;
  /** More that the page can ask for, by name. */
  actions?: Readonly<Record<string, () => unknown>>;
}

export interface ClientsPage {
  url: string;
  close(): Promise<void>;
}

const PAGE = fileURLToPath(new URL("page/", import.meta.url));
const LOOK_EVERY_MS = 150;
const MAX_BODY = 64 * 1024;
const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};
/** Chats show text from anywhere. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

export async function servePage(options: PageOptions): Promise<ClientsPage> {
  const streams = new Set<ServerResponse>();
  const server = http.createServer((request, response) => {
    answer(options, streams, request, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(400, { "content-type": "text/plain; charset=utf-8" }).end(message);
    });
  });
  server.listen(options.port, options.host ?? "127.0.0.1");
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new Error(`Port ${options.port} is taken: end the program that uses it, or choose another port.`);
  });
  const telling = tell(options, streams);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      telling.stop();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  options: PageOptions,
  streams: Set<ServerResponse>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://page");
  if (request.method === "POST") return act(options, pathname.slice(1), request, response);
  if (pathname !== "/events") return sendFile(pathname, response);
  response.writeHead(200, { "content-type": "text/event-stream", ...HEADERS });
  response.on("close", () => streams.delete(response));
  response.write(eventOf(await stateOf(options)));
  streams.add(response);
}

function sendFile(pathname: string, response: ServerResponse): void {
  const name = path.basename(pathname) || "index.html";
  const file = path.join(PAGE, name);
  const type = TYPES[path.extname(name)];
  if (type === undefined || !fs.existsSync(file)) return void response.writeHead(404).end();
  response.writeHead(200, { "content-type": type, ...HEADERS }).end(fs.readFileSync(file));
}

// --- what the page shows ------------------------------------------------------------------------------------------

interface State {
  title: string;
  clients: { name: string; title: string; chats: readonly ChatView[] }[];
}

async function stateOf({ clients, title, extra }: PageOptions): Promise<State> {
  const shown = clients.map(async (client) => ({
    name: client.name,
    title: client.title,
    chats: await client.chats(),
  }));
  return { title, clients: await Promise.all(shown), ...extra?.() };
}

const eventOf = (state: State) => `data: ${JSON.stringify(state)}\n\n`;

/** To every open page, when something changed. */
function tell(options: PageOptions, streams: ReadonlySet<ServerResponse>): { stop(): void } {
  let last = "";
  let looking = false;
  const look = async () => {
    if (looking || streams.size === 0) return;
    looking = true;
    try {
      const event = eventOf(await stateOf(options));
      if (event !== last) for (const stream of streams) stream.write(event);
      last = event;
    } finally {
      looking = false;
    }
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => console.error("The page can't be updated:", error));
  }, LOOK_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}

// --- what people do on it -----------------------------------------------------------------------------------------

async function act(
  options: PageOptions,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Other sites can't send this type without asking first, and that is never answered.
  if (request.headers["content-type"] !== "application/json") return void response.writeHead(415).end();
  const body = JSON.parse(await bodyOf(request)) as Saying & Press & { client: string };
  const action = options.actions?.[name];
  if (action) await action();
  else await inClient(options.clients, name, body);
  response.writeHead(204).end();
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) {
    body += chunk;
    if (body.length > MAX_BODY) throw new Error("The request is too long");
  }
  return body;
}

async function inClient(
  clients: readonly ChatClient[],
  name: string,
  body: Saying & Press & { client: string },
): Promise<void> {
  const client = clients.find((one) => one.name === body.client);
  const chat = (await client?.chats())?.find(({ id }) => id === body.chat);
  if (!client || !chat?.people.includes(body.person)) throw new Error("There is no such chat");
  const { chat: id, person, text, thread, message, button } = body;
  if (name === "say" && text.trim()) await client.say({ chat: id, person, text: text.trim(), thread });
  const asked = chat.messages.find((one) => one.id === message);
  if (name === "press" && asked?.buttons.includes(button))
    await client.press?.({ chat: id, person, message, button });
}
