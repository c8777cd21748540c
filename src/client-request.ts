/**
 * A message from an API client that waits for the answer on an open connection. It gets a separate turn, is
 * never merged with other messages, and always gets an answer with the details that programs need.
 */
import type { ChatMessage, EndReason, SessionId } from "./session.js";

export interface ClientRequest {
  /** Hash of the request: identical requests have the same fingerprint. */
  fingerprint: string;
  /** The client gets the answer while it is written. */
  stream: boolean;
  /** Id for a new session. */
  sessionId?: SessionId;
  /** Its session has one turn and ends with it, for this reason, unless it is resumed. */
  end?: EndReason;
  /** Added to the session's prompt for this turn. */
  instructions?: string;
  /** The client's conversation: the start of a new session. */
  history?: readonly ChatMessage[];
  /** Results of the client's tools, before the user's text. */
  results?: readonly ToolResult[];
  tools?: readonly ClientTool[];
  toolChoice?: ToolChoice;
  model?: string;
}

/** A tool that the client runs: it receives the agent's call and sends the result with its next request. */
export interface ClientTool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
}

/** The agent must call one of the tools, or the named one. Absent: the agent decides. */
export type ToolChoice = "required" | { name: string };

export interface ToolResult {
  callId: string;
  text: string;
}

export interface ClientCall {
  id: string;
  name: string;
  /** As the model wrote it: usually valid JSON. */
  arguments: string;
}

/** Details of an answer for programs. */
export interface AnswerDetails {
  sessionId: SessionId;
  model: string;
  /** OpenAI's values: stop, length, tool_calls, content_filter. */
  finishReason: string;
  calls: ClientCall[];
  usage: AnswerUsage;
  /** Set if there is no answer; the text explains it to people. */
  failure?: { kind: string; message: string };
}

export interface AnswerUsage {
  /** Including cached tokens. */
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  reasoningTokens: number;
}
