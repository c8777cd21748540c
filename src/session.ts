/**
 * Sessions and their messages. Rows keep the column names of `state.db`: the file and the code use the same
 * names, and columns added by a newer Hermes are passed through.
 */

export type SessionId = string;
export type SessionKey = string;

export type EndReason =
  | "session_reset"
  | "session_switch"
  | "compression"
  | "branched"
  | "new_session"
  | "cli_close"
  | (string & {});

export interface SessionRow {
  id: SessionId;
  source: string;
  user_id: string | null;
  model: string | null;
  model_config: string | null;
  system_prompt: string | null;
  parent_session_id: SessionId | null;
  /** Epoch seconds, as everywhere in `state.db`. */
  started_at: number;
  ended_at: number | null;
  end_reason: EndReason | null;
  message_count: number;
  tool_call_count: number;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  reasoning_tokens: number;
  billing_provider: string | null;
  billing_base_url: string | null;
  billing_mode: string | null;
  estimated_cost_usd: number | null;
  actual_cost_usd: number | null;
  cost_status: string | null;
  cost_source: string | null;
  pricing_version: string | null;
  title: string | null;
  api_call_count: number;
  cwd: string | null;
  rewind_count: number;
  archived: number;
}

export type Role = "user" | "assistant" | "tool" | "system" | "session_meta" | (string & {});

/** Plain text, or the parts of a multimodal message. */
export type Content = string | null | unknown[] | Record<string, unknown>;

export interface MessageRow {
  id: number;
  session_id: SessionId;
  role: Role;
  content: Content;
  tool_call_id: string | null;
  tool_calls: unknown[] | null;
  tool_name: string | null;
  timestamp: number;
  token_count: number | null;
  finish_reason: string | null;
  reasoning: string | null;
  reasoning_content: string | null;
  reasoning_details: string | null;
  codex_reasoning_items: string | null;
  codex_message_items: string | null;
  platform_message_id: string | null;
  observed: number;
  active: number;
}

/** A new message. `timestamp` defaults to the store's current time. */
export type NewMessage = { role: Role } & Partial<Omit<MessageRow, "id" | "session_id" | "role">>;

/** One entry of a conversation in OpenAI's chat format. */
export interface ChatMessage {
  role: Role;
  content: Content;
  tool_calls?: unknown[];
  tool_call_id?: string;
  tool_name?: string;
  message_id?: string;
}

/** A session in lists. */
export interface SessionSummary extends SessionRow {
  preview: string;
  last_active: number;
  /** Set if the row represents a whole lineage: the root that the tip continues. */
  lineage_root_id?: SessionId;
}

/** The source of sessions that a terminal opened. */
export const TERMINAL_SOURCE = "cli";
/** The source of sessions that an editor opened (`hermes acp`). */
export const EDITOR_SOURCE = "acp";
