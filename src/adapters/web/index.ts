/** The web chat: a page that the daemon serves, its requests in, server-sent events out. */
import type { Hono } from "hono";
import { nowSeconds } from "../../clock.js";
import type { OutboundMessage, Target } from "../../message.js";
import type {
  Adapter,
  AdapterEvents,
  CanAsk,
  CanPreview,
  CanShowTools,
  CanType,
  Health,
  ShownCall,
} from "../adapter.js";
import { singlePart } from "../kit/single-part.js";
import { type Chat, chatApi } from "./chat-routes.js";
import { Hub } from "./hub.js";
import { type ConversationRef, conversationRef, Live } from "./live.js";
import { ACCOUNT, PLATFORM } from "./normalise.js";
import { pageRoutes } from "./page.js";
import { Previews } from "./previews.js";
import { Decisions, MAX_CHOICES } from "./questions.js";
import { entryOf, Recent, RecentIds } from "./recent.js";
import { SessionWatch } from "./session-watch.js";
import { DEFAULT_BOUNDS, type WebOptions } from "./types.js";

export type { WebOptions } from "./types.js";

export interface WebAdapter extends Adapter, CanAsk, CanPreview, CanShowTools, CanType {
  /** What people see in their conversations at this moment. */
  readonly live: Live;
  /** Undefined while the gateway isn't connected. */
  readonly inbox: AdapterEvents | undefined;
  /** Passes on what is sent in conversations. A message counts as sent once this has resolved. */
  onSent(pass: (ref: ConversationRef, message: OutboundMessage) => Promise<void>): void;
  routes(app: Hono): void;
  /** Notifies the chat's tabs if its session or title has changed. Also runs after every send. */
  refreshSession(chatId: string): void;
}

const MAX_FILE_BYTES = 1024 * 1024 * 1024;

export function webAdapter(options: WebOptions): WebAdapter {
  const bounds = { ...DEFAULT_BOUNDS, ...options.bounds };
  const hub = new Hub(bounds);
  const recent = new Recent();
  const decisions = new Decisions();
  const watch = new SessionWatch(hub, options.session);
  const previews = new Previews(bounds.previewMs, (chatId, preview) => {
    hub.push(chatId, { event: "preview", data: preview });
  });
  const chat: Chat = {
    hub,
    announced: new RecentIds(),
    session: options.session,
    sessions: options.sessions,
    commands: options.commands,
    clientOf: options.clientOf,
    ...(options.file ? { file: options.file } : {}),
    log: async (chatId) =>
      recent.complete(chatId, await options.chatLog(chatId)).map((entry) => decisions.apply(entry)),
    receive: undefined,
  };
  const live = new Live(bounds);
  let heartbeat: NodeJS.Timeout | undefined;
  let inbox: AdapterEvents | undefined;
  let passOn: Parameters<WebAdapter["onSent"]>[0] = async () => undefined;

  function disconnect(): void {
    chat.receive = undefined;
    inbox = undefined;
    clearInterval(heartbeat);
    previews.clear();
    hub.close();
    live.close();
  }

  return {
    platform: PLATFORM,
    account: ACCOUNT,
    // A page has room for any answer.
    limits: { length: 1_000_000, unit: "utf16" },
    maxChoices: MAX_CHOICES,
    showsSession: true,
    ...(options.file ? { files: { maxBytes: MAX_FILE_BYTES } } : {}),

    async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return;
      chat.receive = (message) => events.receive(message);
      inbox = events;
      heartbeat = setInterval(() => {
        hub.beat();
        live.beat();
        void watch.checkAll();
      }, bounds.heartbeatMs);
      heartbeat.unref();
      signal.addEventListener("abort", disconnect, { once: true });
    },

    disconnect: async () => disconnect(),

    /** The page is served by this process: it runs. */
    health(): Health {
      if (chat.receive) return { state: "ok", lastProofAt: nowSeconds() };
      return { state: "down", lastProofAt: null, detail: "The web chat is not connected" };
    },

    /** Never fails: tabs that aren't connected find it in the log. */
    ...singlePart(async (message) => {
      const entry = entryOf(message, nowSeconds());
      const ref = conversationRef(message.target);
      if (ref) await passOn(ref, message);
      const chatId = mainChat(message.target);
      if (chatId !== null) {
        if (message.kind === "answer") previews.forget(chatId);
        recent.add(chatId, entry);
        hub.push(chatId, { event: "message", id: message.id, data: entry });
        void watch.check(chatId);
      }
      return entry.id;
    }),

    /** Tabs that aren't connected find it in the log. */
    async settleQuestion(target: Target, messageIds: readonly string[], decision: string): Promise<void> {
      const id = messageIds.at(-1);
      const text = decision || "…";
      const [ref, chatId] = [conversationRef(target), mainChat(target)];
      if (!ref || id === undefined) return;
      decisions.add(id, text);
      const { person, conversationId } = ref;
      live.publish(person, { type: "decided", conversationId, messageId: id, text });
      if (chatId !== null) hub.push(chatId, { event: "decided", data: { id, text } });
    },

    preview(target: Target, turnId: string, text: string): void {
      const [ref, chatId] = [conversationRef(target), mainChat(target)];
      if (ref) live.text(ref, turnId, text);
      if (chatId !== null && hub.has(chatId)) previews.offer(chatId, { turnId, text });
    },

    dropPreview(target: Target, turnId: string): void {
      const chatId = mainChat(target);
      if (chatId === null) return;
      previews.forget(chatId);
      hub.push(chatId, { event: "preview", data: { turnId, text: "" } });
    },

    showTool(target: Target, call: ShownCall): void {
      const [ref, chatId] = [conversationRef(target), mainChat(target)];
      if (ref) live.tool(ref, call);
      const event = call.state === "running" ? "tool-started" : "tool-ended";
      if (chatId !== null) hub.push(chatId, { event, data: call });
    },

    type(target: Target): void {
      const chatId = mainChat(target);
      if (chatId !== null) hub.push(chatId, { event: "typing", data: {} });
    },

    live,
    get inbox() {
      return inbox;
    },
    onSent(pass) {
      passOn = pass;
    },

    routes(app: Hono): void {
      chatApi(app, chat);
      pageRoutes(app);
    },

    refreshSession: (chatId) => void watch.check(chatId),
  };
}

/** Where the first page shows it: the chat without conversations. */
function mainChat({ chatId, threadId }: Target): string | null {
  return threadId === null ? chatId : null;
}
