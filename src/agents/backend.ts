import type { ClientTool, ToolChoice } from "../client-request.js";
import type { Principal } from "../message.js";
import type { ChatMessage, SessionId, SessionKey } from "../session.js";

/** Who answers. A turn goes in with everything it needs, events come out; nothing is kept in between. */
export interface AgentBackend {
  readonly name: string;
  /** What stands in the session's `model` column. */
  readonly model: string;
  readonly contextLength: number;
  /** Ends with exactly one `done` or `failed`. Stops soon after the signal, with `failed`. */
  run(request: TurnRequest, signal: AbortSignal): AsyncIterable<AgentEvent>;
}

export interface TurnRequest {
  session: { id: SessionId; key: SessionKey; source: string };
  principal: Principal;
  systemPrompt: string;
  /** The conversation so far. */
  history: readonly ChatMessage[];
  /** What is new, in OpenAI's chat format. */
  input: readonly ChatMessage[];
  tools: readonly Tool[];
  /** The asker's own, also where one of ours has its name. A call ends the turn; its result comes with a later input. */
  clientTools?: readonly ClientTool[];
  /** In its first words; left out: as it likes. */
  toolChoice?: ToolChoice;
  /** Overrides the configured model for this session. */
  model?: string;
  /** Asked between two rounds of tool calls: what the user has added meanwhile. Each text is handed out once. */
  takeSteering(): string[];
}

export type AgentEvent =
  /** A piece of the answer, as it is written. */
  | { type: "text"; delta: string }
  /** A whole message of the conversation, to be stored as it is: calls, results, the answer. In order. */
  | { type: "message"; message: TurnMessage }
  | { type: "usage"; usage: TurnUsage }
  | { type: "done" }
  | { type: "failed"; failure: Failure };

export interface TurnMessage extends ChatMessage {
  reasoning?: string;
  finish_reason?: string;
  token_count?: number;
}

/** Of one request to the model; a turn may take several. */
export interface TurnUsage {
  model: string;
  provider: string;
  baseUrl?: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  /** Undefined when nobody knows the price. */
  costUsd?: number;
}

export type FailureKind =
  | "context_length"
  | "rate_limit"
  | "timeout"
  | "credentials" // our API key is missing or was rejected
  | "content_filter" // the provider withheld the answer
  | "refused" // the provider rejected the request for another reason
  | "network"
  | "stopped"
  | "other";

export interface Failure {
  kind: FailureKind;
  /** For the log and the operator. */
  message: string;
  /** For the person who asked: one sentence, with what to do. */
  notice: string;
}

export interface Tool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
  /** Gives the text that the model reads. Rejects only on faults of ours: what the model did wrong is text too. */
  run(args: Record<string, unknown>, signal: AbortSignal): Promise<string>;
}

/** Side work (titles, summaries): one prompt, one text. */
export interface Auxiliary {
  /** Undefined when no model is configured for it: the caller has a way without. */
  complete(task: AuxiliaryTask, prompt: AuxiliaryPrompt, signal: AbortSignal): Promise<string | undefined>;
}

export type AuxiliaryTask = "title_generation" | "compression";

export interface AuxiliaryPrompt {
  system: string;
  prompt: string;
  maxTokens: number;
  temperature?: number;
}
