import { randomUUID } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import type { OpenConversation } from "../../../src/adapters/web/api.js";
import { setPassword } from "../../../src/http/web/passwords.js";
import { newLoginCode, type WebLogin } from "../../../src/sessions/web-login.js";
import { openStore } from "../../../src/store/open.js";
import type { Store } from "../../../src/store/store.js";
import { ModelServer, type Scripted, says } from "../../emulators/model-server.js";
import { atEnd, forSeveral } from "../../support/at-end.js";
import { Daemon } from "../../support/daemon.js";
import { until } from "../../support/until.js";
import { type Look, live, openContext, openTab } from "./page.js";

export const FILE_BYTES = 200_000;

/** The real daemon, with a model and a search engine on loopback that say what a test tells them to. */
export interface Chat {
  daemon: Daemon;
  model: ModelServer;
  /** What a search finds. */
  hits: { title: string; url: string; content: string }[];
}

export async function startChat(yaml = ""): Promise<Chat> {
  const isTitle = (text: string) => text.includes("You name conversations");
  const model = await ModelServer.start({
    isScripted: ({ body }) => !isTitle(JSON.stringify(body.messages)),
    otherwise: ({ body }) => (isTitle(JSON.stringify(body.messages)) ? says("") : answerTo(body.messages)),
  });
  atEnd(() => model.close());
  const hits: Chat["hits"] = [];
  const search = http.createServer((_, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify({ results: hits }));
  });
  await new Promise<void>((resolve) => search.listen(0, "127.0.0.1", resolve));
  atEnd(() => new Promise((resolve) => search.close(resolve)));
  const { port } = search.address() as AddressInfo;
  const base = `
model: {provider: openai-compatible, base_url: "${model.url}", default: large, api_key: k, choices: [large, small], cost: {input: 5, output: 50}}
web: {searxng_url: "http://127.0.0.1:${port}"}
media: {max_download_bytes: ${FILE_BYTES}}
${yaml}`;
  return { daemon: await new Daemon({ yaml: base }).start(), model, hits };
}

/** Without a script it repeats the question. */
function answerTo(messages: readonly { role: string; content: unknown }[]): Scripted {
  const content = messages.findLast(({ role }) => role === "user")?.content;
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return says(`You said: ${text}`);
}

/** One daemon for all tests of a file. Every context is a person of its own, so they don't see one another. */
export function useChat(yaml = ""): () => Chat {
  let shared: Awaited<ReturnType<typeof forSeveral<Chat>>>;
  beforeAll(async () => {
    shared = await forSeveral(() => startChat(yaml));
  }, 60_000);
  afterAll(() => shared?.end());
  return () => shared.made;
}

export async function openPage(
  browser: Browser,
  { daemon }: Pick<Chat, "daemon">,
  { path = "/", ...look }: Look & { path?: string } = {},
): Promise<Page> {
  const page = await openTab(await openContext(browser, daemon.url, look), path);
  await live(page);
  return page;
}

// ── what happened before the test looks ─────────────────────────────────────────────────────────────────────────

const at = (id: string, below = "") => `/api/web/conversations/${id}${below}`;

export async function conversationOf({ request }: BrowserContext, id: string): Promise<OpenConversation> {
  return (await (await request.get(at(id))).json()) as OpenConversation;
}

/** Asks in the name of the browser, and waits for the answer. Gives the id of the conversation. */
export async function asked(
  context: BrowserContext,
  text: string,
  { id = randomUUID() as string, files = [] as string[], waits = true } = {},
): Promise<string> {
  await context.request.get("/api/web/me");
  const data = { clientId: randomUUID(), text, files };
  const sent = await context.request.post(at(id, "/messages"), { data });
  if (sent.status() !== 202) throw new Error(`${sent.status()} ${await sent.text()}`);
  if (waits)
    await until(`"${text.slice(0, 40)}" is answered`, async () => {
      const { turn, queued, conversation } = await conversationOf(context, id);
      return turn === null && queued.length === 0 && conversation?.busy === false;
    });
  return id;
}

export async function changed({ request }: BrowserContext, id: string, data: object): Promise<void> {
  const answer = await request.patch(at(id), { data });
  if (!answer.ok()) throw new Error(`${answer.status()} ${await answer.text()}`);
}

export async function uploaded(
  { request }: BrowserContext,
  name: string,
  type: string,
  data: Buffer,
): Promise<string> {
  const url = `/api/web/files?${new URLSearchParams({ name })}`;
  const answer = await request.post(url, { data, headers: { "content-type": type } });
  return ((await answer.json()) as { id: string }).id;
}

// ── what the owner does ─────────────────────────────────────────────────────────────────────────────────────────

async function withStore<T>({ home }: Daemon, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ path: `${home}/state.db`, threads: false });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export const givePassword = (daemon: Daemon, name: string, password: string) =>
  withStore(daemon, (store) => setPassword({ store }, name, password));

/** The path of a login link. */
export const loginPath = (daemon: Daemon, login: WebLogin) =>
  withStore(daemon, async (store) => `/login/link#${await newLoginCode(store, login)}`);
