import type { Adapter } from "../adapters/adapter.js";
import type { AgentBackend, Auxiliary, NamedAgent } from "../agents/backend.js";
import type { Config } from "../config/schema.js";
import type { HermesError } from "../errors.js";
import type { Events } from "../events.js";
import type { Hooks } from "../hooks/index.js";
import type { GatewayLog } from "../log.js";
import type { McpServers } from "../mcp/manager.js";
import type { Origin, Principal } from "../message.js";
import type { SecretGuard } from "../secrets/guard.js";
import type { ChatMessage, NewMessage, SessionId, SessionRow } from "../session.js";
import type { SummaryRequest } from "../sessions/compress.js";
import type { Owners } from "../store/queues.js";
import type { Store } from "../store/store.js";
import type { Task } from "../task.js";
import type { ToolRegistry } from "../tools/registry.js";

/** The gateway's dependencies. `startup/parts.ts` assembles them. */
export interface GatewayParts {
  config: Config;
  store: Store;
  /** Random per start, so that liveness never depends on a process id. */
  bootId: string;
  /** The default agent. */
  agent: AgentBackend;
  /** Other agents that chats can choose, by name. */
  agents: ReadonlyMap<string, NamedAgent>;
  auxiliary: Auxiliary;
  adapters: readonly Adapter[];
  /** The tools of a turn, by the rights of its principal. */
  tools: Pick<ToolRegistry, "offered">;
  /** Configured tokens and keys, which must never be sent anywhere. */
  secrets: SecretGuard;
  mcp?: Pick<McpServers, "reload"> | undefined;
  /** The system prompt, stored in a session when it starts. */
  systemPrompt(place: {
    origin: Origin;
    shared: boolean;
    principal: Principal;
    task: Task | undefined;
  }): Promise<string>;
  summarise(request: SummaryRequest, signal: AbortSignal): Promise<string>;
  title(exchange: { userText: string; answer: string }, signal: AbortSignal): Promise<string | undefined>;
  estimateTokens(message: ChatMessage): number;
  /** A route changed: rewrites `sessions.json`. */
  routesChanged(): void;
  /** Messages were committed: appends them to the transcript. */
  messagesCommitted(session: SessionRow, messages: readonly NewMessage[]): void;
  /** A session's messages were changed: rewrites its transcript. */
  messagesChanged(sessionId: SessionId): void;
  /** Receives all events. */
  events: Events;
  /** Hooks that may decide about slash commands before they run. */
  hooks?: Pick<Hooks, "wantsCommand" | "askAboutCommand"> | undefined;
  log: GatewayLog;
  homeDir: string;
  /** Why messages can't be accepted right now; undefined if they can. */
  refusal?: (() => HermesError | undefined) | undefined;
  /** Which rows this process owns, if others share the database. */
  owners?: Owners | undefined;
}
