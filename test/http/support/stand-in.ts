import type { WebAdapter } from "../../../src/adapters/web/index.js";
import { webAdapter } from "../../../src/adapters/web/index.js";
import { buttonsFor } from "../../../src/adapters/web/questions.js";
import type { WebLogEntry, WebOptions, WebSessionSummary } from "../../../src/adapters/web/types.js";
import { clientOf } from "../../../src/http/request.js";
import type { HttpServer } from "../../../src/http/server.js";
import { type InboundMessage, type OutboundKind, type Target, targetOf } from "../../../src/message.js";
import type { OutboundQuestion } from "../../../src/question.js";
import { receivingOnly } from "../../support/events.js";
import { startHttp } from "../../support/http.js";
import { send } from "../../support/send.js";

/** The least that the web chat needs of a gateway, in memory: an inbox without duplicates, a log, sessions. */
export class StandIn {
  readonly inbox: InboundMessage[] = [];
  readonly log = new Map<string, WebLogEntry[]>();
  readonly chatSessions = new Map<string, WebSessionSummary[]>();
  readonly adapter: WebAdapter;
  /** What happens with a message after it was accepted. */
  onMessage: (message: InboundMessage) => void = () => {};
  /** Set to let the inbox fail. */
  inboxFault: Error | undefined;
  #outboxId = 0;
  #server: HttpServer | undefined;
  #stop = new AbortController();

  constructor(options: Partial<WebOptions> = {}) {
    this.adapter = webAdapter({
      clientOf,
      chatLog: async (chatId) => this.logOf(chatId),
      session: async (chatId) => this.sessionsOf(chatId)[0] ?? null,
      sessions: async (chatId) => this.sessionsOf(chatId),
      commands: [
        { name: "help", description: "What I understand" },
        { name: "new", usage: "[title]", description: "Starts a new session" },
        { name: "resume", usage: "<session>", description: "Goes back to a session" },
        { name: "reset", description: "Starts a new session" },
        { name: "status", description: "This session, and its next reset" },
        { name: "stop", description: "Stops the running answer" },
        { name: "title", usage: "[title]", description: "Shows or sets the session's title" },
      ],
      ...options,
    });
  }

  get url(): string {
    return this.#server!.url;
  }

  async start(port = 0, token: string | null = null): Promise<this> {
    this.#stop = new AbortController();
    await this.adapter.connect(
      receivingOnly((message) => this.#receive(message)),
      this.#stop.signal,
    );
    const routes = this.adapter.routes.bind(this.adapter);
    this.#server = await startHttp({ host: "127.0.0.1", port, token, routes });
    return this;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.adapter.disconnect();
    await this.#server?.close();
  }

  /** As delivery does it: sent first, in the log afterwards. */
  async say(
    target: Target,
    text: string,
    kind: OutboundKind = "answer",
    turnId: string | null = null,
    question?: OutboundQuestion,
  ) {
    const id = ++this.#outboxId;
    const message = { id, nonce: `n${id}`, kind, target, text, turnId, ...(question ? { question } : {}) };
    const receipt = await send(this.adapter, message, new AbortController().signal);
    const at = Date.now() / 1000;
    const entry = { id: `out:${id}`, from: "bot", kind, text, at, turnId } as const;
    this.logOf(target.chatId!).push({ ...entry, ...buttonsFor(question) });
    return receipt;
  }

  logOf(chatId: string): WebLogEntry[] {
    const entries = this.log.get(chatId) ?? [];
    this.log.set(chatId, entries);
    return entries;
  }

  sessionsOf(chatId: string): WebSessionSummary[] {
    return this.chatSessions.get(chatId) ?? [];
  }

  setSession(chatId: string, id: string, title: string | null): void {
    const others = this.sessionsOf(chatId).filter((session) => session.id !== id);
    this.chatSessions.set(chatId, [{ id, title, lastActive: Date.now() / 1000 }, ...others]);
    this.adapter.refreshSession(chatId);
  }

  async #receive(message: InboundMessage): Promise<void> {
    if (this.inboxFault) throw this.inboxFault;
    if (this.inbox.some(({ eventId }) => eventId === message.eventId)) return;
    this.inbox.push(message);
    const { text, sentAt: at } = message;
    const id = `in:${this.inbox.length}`;
    this.logOf(message.origin.chatId!).push({ id, from: "user", kind: "message", text, at, turnId: null });
    setImmediate(() => this.onMessage(message));
  }
}

export { targetOf };
