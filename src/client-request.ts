/**
 * A message of a program that keeps the line open for its answer: an API client. It has a turn of its own, is never
 * joined with others, and its answer always comes, with the details that programs ask for.
 */
import type { ChatMessage, EndReason, SessionId } from "./session.js";

export interface ClientRequest {
  /** Of all that was asked: the same request twice has the same. */
  fingerprint: string;
  /** Somebody watches the answer grow. */
  stream: boolean;
  /** What a session is called that begins with it. */
  sessionId?: SessionId;
  /** Its session has one turn and ends with it, for this reason, until somebody comes back to it. */
  end?: EndReason;
  /** For this turn, after the session's own prompt. */
  instructions?: string;
  /** The conversation as the client has it: what a new session begins with. */
  history?: readonly ChatMessage[];
  /** What the client's tools gave, before what its user wrote. */
  results?: readonly ToolResult[];
  tools?: readonly ClientTool[];
  toolChoice?: ToolChoice;
  model?: string;
}

/** A tool that the client runs itself: the agent's call goes to it, the result comes with its next request. */
export interface ClientTool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
}

/** It must call one of them, or this one. Left out: as it likes. */
export type ToolChoice = "required" | { name: string };

export interface ToolResult {
  callId: string;
  text: string;
}

export interface ClientCall {
  id: string;
  name: string;
  /** As the model wrote it: JSON if all went well. */
  arguments: string;
}

/** What a program wants to know of an answer besides its text. */
export interface AnswerDetails {
  sessionId: SessionId;
  model: string;
  /** In OpenAI's words: stop, length, tool_calls, content_filter. */
  finishReason: string;
  calls: ClientCall[];
  usage: AnswerUsage;
  /** There is no answer: the text says so to people, this to programs. */
  failure?: { kind: string; message: string };
}

export interface AnswerUsage {
  /** All that was read, from a cache or not. */
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  reasoningTokens: number;
}
