/** The library: rules and store can be used separately, the gateway as a whole. */
export * from "./adapters/adapter.js";
export { singlePart } from "./adapters/kit/single-part.js";
export {
  type Callback,
  definePlatform,
  type LoadedPlatform,
  type Platform,
  type PlatformDeps,
  type PlatformInput,
  type PlatformLog,
} from "./adapters/platform.js";
export type { Platforms } from "./adapters/registry.js";
export type { AgentBackend, AgentEvent, Auxiliary, Tool, TurnRequest } from "./agents/backend.js";
export { parseCommand } from "./commands/parse-command.js";
export { loadConfig } from "./config/load.js";
export { homePaths, resolveHome } from "./config/paths.js";
export type { Config } from "./config/schema.js";
export { type ErrorCode, HermesError } from "./errors.js";
export { type PlatformsGiven, type RunningGateway, type StartOptions, startGateway } from "./main.js";
export type { InboundMessage, Origin, OutboundMessage, Principal, Target } from "./message.js";
export { accessDecision } from "./policies/access.js";
export { engageDecision } from "./policies/engage.js";
export { nextReset, type ResetPolicy, type ResetReason, resetReason } from "./policies/reset.js";
export type { Restart } from "./restart.js";
export type { ChatMessage, MessageRow, NewMessage, SessionRow, SessionSummary } from "./session.js";
export { type Isolation, isShared, originFromSource, sessionKey } from "./sessions/key.js";
export { openStore } from "./store/open.js";
export type { Queues } from "./store/queues.js";
export { sanitizeFtsQuery } from "./store/shared/query.js";
export type { SearchOptions, SearchResult, Store } from "./store/store.js";
export type { Mark, Span } from "./text/blocks.js";
export * from "./text/dialect.js";
export { type Part, type PartOptions, renderMarkdown } from "./text/parts.js";
export { plainParts, splitText } from "./text/plain.js";
export { sanitizeTitle } from "./title.js";
export type {
  AskMode,
  NestedCalls,
  ToolAnswer,
  ToolCall,
  ToolDefinition,
  ToolQuestion,
} from "./tools/tool.js";
