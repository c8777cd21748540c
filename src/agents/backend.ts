import type { ClientTool, ToolChoice } from "../client-request.js";
import type { Principal } from "../message.js";
import type { Choice } from "../question.js";
import type { ChatMessage, SessionId, SessionKey } from "../session.js";

/** Answers turns. A request is self-contained; the answer is a stream of events. */
export interface AgentBackend {
  readonly name: string;
  /** Stored in the session's `model` column. */
  readonly model: string;
  readonly contextLength: number;
  /**
   * It keeps its own conversation (`TurnRequest.own`) and runs its own tools. Its steps aren't recorded, so a prompt that was sent
   * is never sent again: an interrupted one is continued.
   */
  readonly keepsState?: true;
  /** Ends its processes. */
  close?(): Promise<void>;
  /** Ends with exactly one `done` or `failed`. Stops soon after the signal, with `failed`. */
  run(request: TurnRequest, signal: AbortSignal): AsyncIterable<AgentEvent>;
}

/** An agent that chats can choose. */
export interface NamedAgent {
  backend: AgentBackend;
  /** `owner`, `paired`, `everyone`, or `platform:user id`. */
  allow: readonly string[];
  description: string | null;
}

export interface TurnRequest {
  session: { id: SessionId; key: SessionKey; source: string };
  principal: Principal;
  systemPrompt: string;
  /** The conversation so far. */
  history: readonly ChatMessage[];
  /** New messages in OpenAI's chat format. */
  input: readonly ChatMessage[];
  tools: readonly Tool[];
  /**
   * The output of an interrupted attempt at this turn: continue after it, and don't emit it again. Calls
   * without a result run first.
   */
  steps?: readonly TurnMessage[];
  /** The client's own tools; they win over ours of the same name. A call ends the turn, its result comes with a later request. */
  clientTools?: readonly ClientTool[];
  /** Applies to the first round. Default: auto. */
  toolChoice?: ToolChoice;
  /** Overrides the configured model for this session. */
  model?: string;
  /** Called between rounds: returns messages the user added in the meantime, each once. */
  takeSteering(): string[];
  /** For agents with `keepsState`. */
  own?: OwnConversation;
  /**
   * Asks the person of the turn and waits. Resolves with the id of a choice; undefined if the question was not answered in time, or no person
   * can be asked. That means no.
   */
  ask?(question: AgentQuestion, signal: AbortSignal): Promise<string | undefined>;
}

/** Durable state of an agent about a session, and whether this turn's prompt was sent before. */
export interface OwnConversation {
  read(): Promise<string | undefined>;
  write(value: string): Promise<void>;
  /** An interrupted attempt sent the prompt: what it gave to `sending`. Undefined if it wasn't sent. */
  readonly sent: string | undefined;
  /** Resolves when it is recorded that the prompt is sent: call it before. */
  sending(conversation: string): Promise<void>;
  /** The agent has shown that it received the prompt. */
  readonly hasArrived: boolean;
  /** Resolves when that is recorded. */
  arrived(): Promise<void>;
}

export interface AgentQuestion {
  /** What needs approval, such as `coder.execute`. The rules about approvals apply to this name. */
  about: string;
  text: string;
  choices: readonly Choice[];
  /** The choice that allows it once, for chats that approve everything. */
  allow: string;
}

export type AgentEvent =
  /** A chunk of the answer. */
  | { type: "text"; delta: string }
  /**
   * A complete message to store as is, in order: calls, results, the answer. Emit calls before they run and each result before
   * the next step: the consumer records it before it asks for the next event.
   */
  | { type: "message"; message: TurnMessage }
  /** A step of an agent that runs its own tools, for watchers. `tool`: one of few names. */
  | { type: "progress"; tool: string; title: string; callId: string; state: "started" | "done" | "failed" }
  | { type: "usage"; usage: TurnUsage }
  | { type: "done" }
  | { type: "failed"; failure: Failure };

export interface TurnMessage extends ChatMessage {
  reasoning?: string;
  finish_reason?: string;
  token_count?: number;
}

/** Usage of one model request; a turn may need several. */
export interface TurnUsage {
  model: string;
  provider: string;
  baseUrl?: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  /** Undefined if the price is unknown. */
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
  | "limit" // the turn's own limit of steps, time or cost
  | "stopped"
  | "other";

export interface Failure {
  kind: FailureKind;
  /** For the log and the operator. */
  message: string;
  /** For the user: one sentence with what to do. */
  notice: string;
}

export interface Tool {
  name: string;
  /** Older names, which the model may know from stored messages. */
  aliases?: readonly string[] | undefined;
  /** Only for calls that were made before: models don't see it. */
  hidden?: boolean | undefined;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
  /**
   * Returns the result text for the model, also for the model's own mistakes. Rejects only on internal errors. `callId`: the
   * id of the call in the message that requested it.
   */
  run(args: Record<string, unknown>, signal: AbortSignal, callId: string): Promise<string>;
}

/** Side work (titles, summaries): one prompt, one text. */
export interface Auxiliary {
  /** Undefined without a configured model; callers have a fallback. */
  complete(task: AuxiliaryTask, prompt: AuxiliaryPrompt, signal: AbortSignal): Promise<string | undefined>;
}

export type AuxiliaryTask = "title_generation" | "compression";

export interface AuxiliaryPrompt {
  system: string;
  prompt: string;
  maxTokens: number;
  temperature?: number;
}
