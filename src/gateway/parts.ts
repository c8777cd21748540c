import type { Adapter } from "../adapters/adapter.js";
import type { AgentBackend, Auxiliary, Tool } from "../agents/backend.js";
import type { Config } from "../config/schema.js";
import type { Errand } from "../errand.js";
import type { HermesError } from "../errors.js";
import type { Events } from "../events.js";
import type { Hooks } from "../hooks/index.js";
import type { Origin, Principal } from "../message.js";
import type { ChatMessage, NewMessage, SessionId, SessionRow } from "../session.js";
import type { SummaryRequest } from "../sessions/compress.js";
import type { Share } from "../store/queues.js";
import type { Store } from "../store/store.js";

/** What the gateway is made of. `main.ts` puts it together; tests put it together otherwise. */
export interface GatewayParts {
  config: Config;
  store: Store;
  /** Random for every start: liveness never depends on a process id. */
  bootId: string;
  agent: AgentBackend;
  auxiliary: Auxiliary;
  adapters: readonly Adapter[];
  tools(session: SessionRow, principal: Principal): Promise<Tool[]>;
  /** Frozen into a session when it begins. */
  systemPrompt(place: {
    origin: Origin;
    shared: boolean;
    principal: Principal;
    errand: Errand | undefined;
  }): Promise<string>;
  summarise(request: SummaryRequest, signal: AbortSignal): Promise<string>;
  title(exchange: { userText: string; answer: string }, signal: AbortSignal): Promise<string | undefined>;
  estimateTokens(message: ChatMessage): number;
  /** Some route has changed: `sessions.json` follows. */
  routesChanged(): void;
  /** Messages were committed: transcripts follow. */
  messagesCommitted(session: SessionRow, messages: readonly NewMessage[]): void;
  /** A session's messages are others than before: its transcript is written anew. */
  messagesChanged(sessionId: SessionId): void;
  /** Told what happens. */
  events: Events;
  /** Asked about slash commands, where there are any. */
  hooks?: Pick<Hooks, "wantsCommand" | "askAboutCommand">;
  log: GatewayLog;
  homeDir: string;
  /** Why nothing may be accepted at the moment; undefined: everything may. */
  refusal?(): HermesError | undefined;
  /** What is this process's to do, where others work on the same file. */
  share?: Share;
}

/** The part of a log that the gateway writes. */
export interface GatewayLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
