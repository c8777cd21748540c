import { randomUUID } from "node:crypto";
import type { Context, Hono } from "hono";
import { streamSSE } from "hono/streaming";
import type {
  AnswerMessage,
  ChatMessage,
  Conversation,
  ConversationChange,
  LiveTurn,
  Me,
  NoticeMessage,
  OpenConversation,
  QueuedMessage,
  Share,
  ToolCall,
  Upload,
  UserMessage,
  WebEvent,
} from "../../../src/adapters/web/api.js";
import { pageRoutes } from "../../../src/adapters/web/page.js";
import type { HttpServer } from "../../../src/http/server.js";
import { startHttp } from "../../support/http.js";

interface Talk {
  conversation: Conversation;
  branches: { id: string; messages: ChatMessage[] }[];
  current: number;
  /** Messages that all branches share. */
  forkAt: number;
  queued: QueuedMessage[];
  turn: LiveTurn | null;
  model: string | null;
  agent: string | null;
}

const PAGE_SIZE = 30;
const nowSeconds = () => Date.now() / 1000;

/** A server with the interface of the web chat, in memory: one person, answers as a test orders them. */
export class ChatStandIn {
  readonly talks = new Map<string, Talk>();
  readonly sent: { conversationId: string; clientId: string; text: string; files: string[] }[] = [];
  readonly presses: { button: string; text: string }[] = [];
  readonly uploads = new Map<string, Upload & { body: Buffer }>();
  readonly shares: Share[] = [];
  readonly changes: ConversationChange[] = [];
  me: Me = {
    person: { id: "p1", name: null, signedIn: false, owner: false, deviceId: null },
    logins: { link: true, password: true, oidc: null },
    features: { sharing: true, uploads: true },
    models: { default: "large", choices: ["large", "small"].map((name) => ({ name, description: null })) },
    agents: { default: "hermes", choices: [] },
    commands: [
      { name: "help", usage: "", description: "What I understand" },
      { name: "new", usage: "[title]", description: "Starts a new session" },
      { name: "status", usage: "", description: "This session, and its next reset" },
    ],
    limits: { messageChars: 4000, fileBytes: 200_000, filesPerMessage: 3, titleChars: 80 },
  };
  /** What answers; undefined: a test answers itself. */
  answer: ((text: string) => string) | undefined = (text) => `You said: ${text}`;
  /** Requests whose path contains it fail with 503. */
  broken: string | undefined;
  /** How often a conversation was read. */
  reads = 0;
  #position = 0;
  #eventId = 0;
  #server: HttpServer | undefined;
  #listeners = new Set<(event: WebEvent, id: string) => void>();
  #closers = new Set<() => void>();

  get url(): string {
    return this.#server!.url;
  }

  async start(port = 0): Promise<this> {
    this.#server = await startHttp({
      host: "127.0.0.1",
      port,
      token: null,
      routes: (app) => this.#routes(app),
    });
    return this;
  }

  async stop(): Promise<void> {
    this.cutStreams();
    await this.#server?.close();
  }

  cutStreams(): void {
    for (const close of this.#closers) close();
  }

  // ── what a test orders ──────────────────────────────────────────────────────────────────────────────────────────

  talk(id: string): Talk {
    const known = this.talks.get(id);
    if (known) return known;
    const conversation: Conversation = {
      id,
      title: "New chat",
      titled: false,
      pinned: false,
      archived: false,
      lastActiveAt: nowSeconds(),
      messageCount: 0,
      busy: false,
    };
    const branches = [{ id: randomUUID(), messages: [] }];
    const made: Talk = {
      conversation,
      branches,
      current: 0,
      forkAt: 0,
      queued: [],
      turn: null,
      model: null,
      agent: null,
    };
    this.talks.set(id, made);
    return made;
  }

  messagesOf(id: string): ChatMessage[] {
    const talk = this.talk(id);
    return talk.branches[talk.current]!.messages;
  }

  change(id: string, change: Partial<Conversation>): void {
    const talk = this.talk(id);
    talk.conversation = { ...talk.conversation, ...change };
    this.push({ type: "conversation", conversation: talk.conversation });
  }

  question(id: string, text: string, clientId: string | null = null, files: Upload[] = []): UserMessage {
    return this.#add(id, { ...this.#base(), from: "user", clientId, text, files, undone: false });
  }

  say(id: string, text: string, more: Partial<AnswerMessage> = {}): AnswerMessage {
    return this.#add(id, {
      ...this.#base(),
      from: "agent",
      text,
      final: true,
      stopped: false,
      undone: false,
      turnId: null,
      tools: [],
      files: [],
      reasoning: null,
      usage: null,
      ...more,
    });
  }

  notice(id: string, text: string, more: Partial<NoticeMessage> = {}): NoticeMessage {
    return this.#add(id, {
      ...this.#base(),
      from: "gateway",
      kind: "notice",
      text,
      files: [],
      buttons: [],
      ...more,
    });
  }

  begin(id: string, clientIds: string[] = []): string {
    const turnId = randomUUID();
    const turn: LiveTurn = {
      conversationId: id,
      turnId,
      startedAt: nowSeconds(),
      elapsed: 0,
      text: "",
      tools: [],
      waiting: false,
      clientIds,
    };
    this.talk(id).turn = turn;
    this.push({ type: "turn-started", conversationId: id, turn: { ...turn, tools: [] } }, false);
    return turnId;
  }

  write(id: string, text: string): void {
    const turn = this.talk(id).turn!;
    const from = turn.text.length;
    turn.text += text;
    this.push({ type: "delta", conversationId: id, turnId: turn.turnId, from, text }, false);
  }

  tool(id: string, call: ToolCall): void {
    const turn = this.talk(id).turn!;
    turn.tools = [...turn.tools.filter(({ callId }) => callId !== call.callId), call];
    this.push({ type: "tool", conversationId: id, turnId: turn.turnId, call }, false);
  }

  finish(id: string, outcome: "answered" | "stopped" = "answered"): void {
    const talk = this.talk(id);
    const { turnId, text, tools } = talk.turn!;
    talk.turn = null;
    const usage = { model: "large", inputTokens: 1200, outputTokens: 340, costUsd: 0.0123, seconds: 2.5 };
    this.say(id, text, { turnId, tools, stopped: outcome === "stopped", usage });
    this.push({ type: "turn-finished", conversationId: id, turnId, outcome, usage });
    const next = talk.queued.splice(0);
    for (const one of next) this.#take(id, one.clientId, one.text, one.files as Upload[]);
  }

  push(event: WebEvent, isStored = true): void {
    const id = isStored ? `e-${++this.#eventId}` : "";
    for (const listener of this.#listeners) listener(event, id);
  }

  // ── what the page asks for ──────────────────────────────────────────────────────────────────────────────────────

  #routes(app: Hono): void {
    pageRoutes(app);
    const at = "/api/web/conversations/:id";
    app.use("/api/web/*", async (c, next) => {
      if (this.broken !== undefined && c.req.path.includes(this.broken))
        return fault(c, 503, "The gateway is stopping");
      await next();
    });
    app.get("/api/web/me", (c) => c.json(this.me));
    app.get("/api/web/events", (c) => this.#stream(c));
    app.get("/api/web/conversations", (c) =>
      c.json(this.#list(c.req.query("q"), c.req.query("archived") === "1")),
    );
    app.get(at, (c) =>
      c.json(this.#read(c.req.param("id"), Number(c.req.query("before") ?? Number.POSITIVE_INFINITY))),
    );
    app.patch(at, async (c) => {
      const talk = this.talk(c.req.param("id"));
      const { model, agent, ...change } = await c.req.json<ConversationChange>();
      this.changes.push({ ...change, ...(model === undefined ? {} : { model }) });
      if (model !== undefined) talk.model = model;
      if (agent !== undefined) talk.agent = agent;
      this.change(talk.conversation.id, {
        ...change,
        ...(change.title ? { titled: true } : {}),
      } as Partial<Conversation>);
      return c.json(talk.conversation);
    });
    app.delete(at, (c) => {
      this.talks.delete(c.req.param("id"));
      this.push({ type: "deleted", conversationId: c.req.param("id") });
      return c.body(null, 204);
    });
    app.get(`${at}/export`, (c) => {
      c.header("Content-Disposition", 'attachment; filename="conversation.md"');
      return c.text(
        this.messagesOf(c.req.param("id"))
          .map(({ text }) => text)
          .join("\n\n"),
      );
    });
    app.post(`${at}/messages`, async (c) => {
      const {
        clientId,
        text,
        files = [],
      } = await c.req.json<{ clientId: string; text: string; files?: string[] }>();
      if (text.includes("refuse me")) return fault(c, 400, "The gateway refuses this text");
      const isNew = !this.sent.some((one) => one.clientId === clientId);
      const conversationId = c.req.param("id");
      if (isNew) {
        this.sent.push({ conversationId, clientId, text, files });
        const uploads = files.map((id) => this.uploads.get(id)!);
        this.#take(conversationId, clientId, text, uploads);
      }
      return c.json({ accepted: true, clientId }, 202);
    });
    app.delete(`${at}/messages/:clientId`, (c) => {
      const talk = this.talk(c.req.param("id"));
      const clientId = c.req.param("clientId");
      talk.queued = talk.queued.filter((one) => one.clientId !== clientId);
      this.push({ type: "withdrawn", conversationId: talk.conversation.id, clientId });
      return c.body(null, 204);
    });
    app.post(`${at}/stop`, (c) => {
      const isRunning = this.talk(c.req.param("id")).turn !== null;
      if (isRunning) this.finish(c.req.param("id"), "stopped");
      return c.json({ stopped: isRunning });
    });
    app.post(`${at}/regenerate`, async (c) => {
      const id = c.req.param("id");
      const question = this.messagesOf(id).findLast((one) => one.from === "user")!;
      this.#branch(id, question.id);
      const { clientId } = await c.req.json<{ clientId: string }>();
      this.#take(id, clientId, question.text, []);
      return c.json({ accepted: true, clientId }, 202);
    });
    app.post(`${at}/edit`, async (c) => {
      const id = c.req.param("id");
      const { clientId, text, messageId } = await c.req.json<{
        clientId: string;
        text: string;
        messageId: string;
      }>();
      this.#branch(id, messageId);
      this.#take(id, clientId, text, []);
      return c.json({ accepted: true, clientId }, 202);
    });
    app.post(`${at}/branch`, async (c) => {
      const { branch } = await c.req.json<{ branch: string }>();
      const talk = this.talk(c.req.param("id"));
      talk.current = talk.branches.findIndex(({ id }) => id === branch);
      this.push({ type: "branched", conversationId: talk.conversation.id });
      return c.body(null, 204);
    });
    app.post(`${at}/presses`, async (c) => {
      this.presses.push(await c.req.json());
      return c.json({ accepted: true, clientId: "x" }, 202);
    });
    this.#fileRoutes(app);
    this.#shareRoutes(app);
    this.#loginRoutes(app);
  }

  #fileRoutes(app: Hono): void {
    app.post("/api/web/files", async (c) => {
      const body = Buffer.from(await c.req.arrayBuffer());
      const id = randomUUID();
      const mimeType = c.req.header("content-type") ?? "";
      const name = c.req.query("name") ?? "file";
      const picture = mimeType === "image/png";
      const upload = { id, name, mimeType, bytes: body.length, url: `/api/web/files/${id}`, picture };
      this.uploads.set(id, { ...upload, body });
      return c.json(upload, 201);
    });
    app.get("/api/web/files/:id", (c) => {
      const { body, mimeType } = this.uploads.get(c.req.param("id"))!;
      return c.body(new Uint8Array(body), 200, { "Content-Type": mimeType });
    });
  }

  #shareRoutes(app: Hono): void {
    app.get("/api/web/shares", (c) => c.json({ shares: this.shares }));
    app.post("/api/web/conversations/:id/shares", async (c) => {
      const { days = 7 } = await c.req.json<{ days?: number }>();
      const { id: conversationId, title } = this.talk(c.req.param("id")).conversation;
      const id = randomUUID();
      const createdAt = nowSeconds();
      const share = {
        id,
        conversationId,
        title,
        path: `/shared/${id}`,
        createdAt,
        expiresAt: createdAt + days * 86_400,
      };
      this.shares.push(share);
      return c.json(share, 201);
    });
    app.delete("/api/web/shares/:id", (c) => {
      this.shares.splice(
        this.shares.findIndex(({ id }) => id === c.req.param("id")),
        1,
      );
      return c.body(null, 204);
    });
    app.get("/api/web/shared/:id", (c) => {
      const share = this.shares.find(({ id }) => id === c.req.param("id"));
      if (!share) return fault(c, 404, "There is no such conversation");
      const messages = this.messagesOf(share.conversationId).flatMap((one) =>
        one.from === "gateway" ? [] : [{ from: one.from, text: one.text, at: one.at, tools: [] }],
      );
      return c.json({ title: share.title, sharedAt: share.createdAt, expiresAt: share.expiresAt, messages });
    });
  }

  #loginRoutes(app: Hono): void {
    const signedIn = (c: Context) => {
      this.me = {
        ...this.me,
        person: { id: "p2", name: "Ann", signedIn: true, owner: true, deviceId: "d1" },
      };
      return c.json(this.me);
    };
    app.post("/api/web/login/password", async (c) => {
      const { password } = await c.req.json<{ password: string }>();
      return password === "right" ? signedIn(c) : fault(c, 403, "The name or the password is wrong");
    });
    app.post("/api/web/logout", (c) => {
      this.me = {
        ...this.me,
        person: { id: "p3", name: null, signedIn: false, owner: false, deviceId: null },
      };
      return c.body(null, 204);
    });
    const devices = ["Firefox on Linux", "Safari on iPhone"].map((label, i) => ({
      id: `d${i + 1}`,
      label,
      createdAt: nowSeconds(),
      lastSeenAt: nowSeconds() - i * 7200,
      current: i === 0,
    }));
    app.get("/api/web/devices", (c) => c.json({ devices }));
    app.delete("/api/web/devices/:id", (c) => {
      devices.splice(1, 1);
      return c.body(null, 204);
    });
  }

  #take(id: string, clientId: string, text: string, files: Upload[]): void {
    const talk = this.talk(id);
    if (talk.turn) {
      const queued = { clientId, text, files, at: nowSeconds() };
      talk.queued.push(queued);
      this.push({ type: "queued", conversationId: id, message: queued });
      return;
    }
    this.question(id, text, clientId, files);
    if (!talk.conversation.titled)
      this.change(id, { title: text.slice(0, 60) || "Files", lastActiveAt: nowSeconds() });
    if (text.startsWith("/")) return void this.notice(id, `Reply to ${text}`, { kind: "command" });
    this.begin(id, [clientId]);
    const words = this.answer?.(text);
    if (words === undefined) return;
    this.write(id, words);
    this.finish(id);
  }

  #branch(id: string, messageId: string): void {
    const talk = this.talk(id);
    const { messages } = talk.branches[talk.current]!;
    talk.forkAt = messages.findIndex((one) => one.id === messageId);
    talk.branches.push({ id: randomUUID(), messages: messages.slice(0, talk.forkAt) });
    talk.current = talk.branches.length - 1;
    this.push({ type: "branched", conversationId: id });
  }

  #base() {
    const position = ++this.#position;
    return { id: `m${position}`, position, at: nowSeconds() };
  }

  #add<T extends ChatMessage>(id: string, message: T): T {
    this.messagesOf(id).push(message);
    this.push({ type: "message", conversationId: id, message });
    return message;
  }

  #list(q = "", archived = false) {
    const all = [...this.talks.values()].map(({ conversation }) => conversation);
    const found = all
      .filter((one) => one.archived === archived && one.title.toLowerCase().includes(q.toLowerCase()))
      .sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.lastActiveAt - a.lastActiveAt);
    return { conversations: q ? found.map((one) => ({ ...one, snippet: `…${q}…` })) : found, cursor: null };
  }

  #read(id: string, before: number): OpenConversation {
    this.reads += 1;
    const talk = this.talks.get(id);
    const all = (talk ? this.messagesOf(id) : []).filter(({ position }) => position < before);
    const messages = all.slice(-PAGE_SIZE);
    const forked = talk && talk.branches.length > 1 ? this.messagesOf(id)[talk.forkAt] : undefined;
    return {
      conversation: talk?.conversation ?? null,
      messages,
      earlier: all.length > messages.length,
      turn: talk?.turn ?? null,
      queued: talk?.queued ?? [],
      forks: forked
        ? [
            {
              messageId: forked.id,
              branches: talk!.branches.map((one) => ({ id: one.id, createdAt: 0 })),
              current: talk!.current,
            },
          ]
        : [],
      model: talk?.model ?? null,
      agent: talk?.agent ?? null,
      eventCursor: `e-${this.#eventId}`,
    };
  }

  #stream(c: Context): Response {
    return streamSSE(c, async (stream) => {
      const send = ({ type, ...data }: WebEvent, id: string) =>
        void stream.writeSSE({ event: type, data: JSON.stringify(data), ...(id ? { id } : {}) });
      const turns = [...this.talks.values()].flatMap(({ turn }) => (turn ? [turn] : []));
      send(
        { type: "hello", missed: c.req.query("cursor") !== undefined, cursor: `e-${this.#eventId}`, turns },
        "",
      );
      this.#listeners.add(send);
      await new Promise<void>((resolve) => {
        this.#closers.add(resolve);
        stream.onAbort(() => resolve());
      });
      this.#listeners.delete(send);
    });
  }
}

function fault(c: Context, status: 400 | 403 | 404 | 503, message: string): Response {
  return c.json({ error: { code: "invalid", message } }, status);
}
