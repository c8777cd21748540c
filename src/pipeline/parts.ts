import type { Adapter } from "../adapters/adapter.js";
import type { AgentBackend, Auxiliary, NamedAgent } from "../agents/backend.js";
import type { Config } from "../config/schema.js";
import type { HermesError } from "../errors.js";
import type { Events } from "../events.js";
import type { Hooks } from "../hooks/index.js";
import type { GatewayLog } from "../log.js";
import type { McpServers } from "../mcp/manager.js";
import type { Origin, Principal } from "../message.js";
import type { SecretGuard } from "../secret-guard.js";
import type { ChatMessage, NewMessage, SessionId, SessionRow } from "../session.js";
import type { SummaryRequest } from "../sessions/compress.js";
import type { Owners } from "../store/queues.js";
import type { Store } from "../store/store.js";
import type { Task } from "../task.js";
import type { ToolRegistry } from "../tools/registry.js";

/** What the gateway is made of. `startup/parts.ts` puts it together. */
export interface GatewayParts {
  config: Config;
  store: Store;
  /** Random for every start: liveness never depends on a process id. */
  bootId: string;
  /** The default. */
  agent: AgentBackend;
  /** Others that chats can choose, by name. */
  agents: ReadonlyMap<string, NamedAgent>;
  auxiliary: Auxiliary;
  adapters: readonly Adapter[];
  /** The tools of a turn, by the rights of its principal. */
  tools: Pick<ToolRegistry, "offered">;
  /** Configured tokens and keys: they never leave. */
  secrets: SecretGuard;
  mcp?: Pick<McpServers, "reload"> | undefined;
  /** Stored in a session when it starts. */
  systemPrompt(place: {
    origin: Origin;
    shared: boolean;
    principal: Principal;
    task: Task | undefined;
  }): Promise<string>;
  summarise(request: SummaryRequest, signal: AbortSignal): Promise<string>;
  title(exchange: { userText: string; answer: string }, signal: AbortSignal): Promise<string | undefined>;
  estimateTokens(message: ChatMessage): number;
  /** A route has changed: `sessions.json` is written again. */
  routesChanged(): void;
  /** Messages were committed: the transcript gets them too. */
  messagesCommitted(session: SessionRow, messages: readonly NewMessage[]): void;
  /** A session's messages were rewritten: its transcript is written again. */
  messagesChanged(sessionId: SessionId): void;
  /** Everything that happens is emitted here. */
  events: Events;
  /** May decide about slash commands before they run. */
  hooks?: Pick<Hooks, "wantsCommand" | "askAboutCommand"> | undefined;
  log: GatewayLog;
  homeDir: string;
  /** Why nothing can be accepted at the moment; undefined: everything can. */
  refusal?: (() => HermesError | undefined) | undefined;
  /** The rows that this process works on, if others use the same file. */
  owners?: Owners | undefined;
}
