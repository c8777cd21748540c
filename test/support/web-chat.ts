import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import type {
  Conversation,
  ConversationPage,
  OpenConversation,
  SendMessage,
} from "../../src/adapters/web/api.js";
import type { AgentBackend } from "../../src/agents/backend.js";
import { type RunningGateway, startGateway } from "../../src/main.js";
import { EventReader } from "../http/support/events.js";
import { tempDir } from "./temp.js";
import { until } from "./until.js";

const SILENT = { debug() {}, info() {}, warn() {}, error() {}, fatal() {}, trace() {} };

export interface WebChatOptions {
  agent?: AgentBackend;
  yaml?: string;
  home?: string;
}

/** A gateway with the web chat in this process, over real HTTP. */
export async function startWebChat({
  agent,
  yaml = "",
  home = tempDir(),
}: WebChatOptions = {}): Promise<RunningGateway> {
  fs.writeFileSync(path.join(home, "config.yaml"), `agent: {restart_drain_timeout: 0.2}\n${yaml}`, {
    mode: 0o600,
  });
  const auxiliary = { title: async () => undefined, summary: async () => undefined };
  const running = await startGateway({
    env: { HERMES_HOME: home },
    flags: { "http.port": 0 },
    log: { ...SILENT, child: () => SILENT } as never,
    ...(agent ? { agents: { main: agent, auxiliary: auxiliary as never } } : {}),
  });
  let stopped: Promise<void> | undefined;
  const { stop } = running;
  running.stop = () => (stopped ??= stop());
  onTestFinished(() => running.stop());
  return running;
}

export interface Reply<T = unknown> {
  status: number;
  body: T;
  headers: Headers;
}

/** A browser at the new web chat: one cookie, as many tabs as wanted. */
export class Browser {
  readonly #url: () => string;
  cookie: string | undefined;

  constructor(url: string | (() => string), cookie?: string) {
    this.#url = typeof url === "string" ? () => url : url;
    this.cookie = cookie;
  }

  async ask<T = unknown>(
    method: string,
    what: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply<T>> {
    if (this.cookie === undefined && what !== "me") await this.ask("GET", "me");
    const isRaw = body instanceof Uint8Array;
    const response = await fetch(`${this.#url()}/api/web/${what}`, {
      method,
      headers: {
        ...this.#headers(),
        ...(body !== undefined && !isRaw ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: isRaw ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
      redirect: "manual",
    });
    const [set] = response.headers.getSetCookie().filter((cookie) => cookie.startsWith("hermes_web="));
    if (set) this.cookie = set.split(";", 1)[0]!;
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return {
      status: response.status,
      body: (isJson ? JSON.parse(text) : text) as T,
      headers: response.headers,
    };
  }

  async get<T>(what: string): Promise<T> {
    const { status, body } = await this.ask<T>("GET", what);
    if (status !== 200) throw new Error(`${what}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  async conversations(query = ""): Promise<Conversation[]> {
    return (await this.get<ConversationPage>(`conversations${query}`)).conversations;
  }

  open(id: string, query = ""): Promise<OpenConversation> {
    return this.get(`conversations/${id}${query}`);
  }

  /** Sends it and returns its id. */
  async send(id: string, text: string, more: Partial<SendMessage> = {}): Promise<string> {
    const clientId = more.clientId ?? randomUUID();
    const { status, body } = await this.ask("POST", `conversations/${id}/messages`, {
      clientId,
      text,
      ...more,
    });
    if (status !== 202) throw new Error(`${text}: ${status} ${JSON.stringify(body)}`);
    return clientId;
  }

  /** Once nothing runs or waits in it. */
  async settled(id: string): Promise<OpenConversation> {
    return until(`${id} is settled`, async () => {
      const open = await this.open(id);
      const isIdle = open.turn === null && open.queued.length === 0 && open.conversation?.busy === false;
      // What is read during the turn's last moment may lack its end.
      return isIdle && this.open(id);
    });
  }

  async events(cursor?: string): Promise<EventReader> {
    if (this.cookie === undefined) await this.ask("GET", "me");
    const query = cursor === undefined ? "" : `?cursor=${cursor}`;
    return EventReader.open(`${this.#url()}/api/web/events${query}`, this.#headers());
  }

  #headers(): Record<string, string> {
    return { origin: this.#url(), ...(this.cookie ? { cookie: this.cookie } : {}) };
  }
}

export const texts = ({ messages }: OpenConversation) => messages.map(({ from, text }) => `${from}: ${text}`);
