/** Types of the emulated workspace. */

export type ConversationType = "im" | "mpim" | "channel" | "private";

export interface Conversation {
  id: string;
  type: ConversationType;
  name: string;
  topic: string;
  members: Set<string>;
  archived: boolean;
}

export interface Person {
  id: string;
  name: string;
  isBot: boolean;
}

export interface StoredFile {
  id: string;
  name: string;
  mimetype: string;
  size: number;
  content: Buffer;
  /** Uploaded, but not shared yet. */
  pending: boolean;
}

export interface Metadata {
  event_type: string;
  event_payload: Record<string, unknown>;
}

/** A message in its current state. */
export interface StoredMessage {
  channel: string;
  ts: string;
  user: string;
  botId?: string;
  /** As sent: mrkdwn, or the text of a stream so far. */
  text: string;
  blocks?: Block[];
  threadTs?: string;
  metadata?: Metadata;
  files: StoredFile[];
  /** Shared messages and cards. */
  attachments?: unknown[];
  edits: number;
  deleted: boolean;
  streaming: boolean;
  /** Its text is Markdown instead of mrkdwn: it was streamed. */
  isMarkdown?: boolean;
  subtype?: string;
}

export interface Block {
  type: string;
  text?: string | { type: string; text: string };
  block_id?: string;
  elements?: BlockButton[];
}

export interface BlockButton {
  type: string;
  action_id: string;
  text: { type: string; text: string };
  value?: string;
  style?: string;
}

/** What a user sees: blocks replace the text. */
export function visibleText(message: Pick<StoredMessage, "text" | "blocks">): string {
  if (!message.blocks || message.blocks.length === 0) return message.text;
  return message.blocks
    .filter(({ type }) => type !== "actions")
    .map(({ text }) => (typeof text === "string" ? text : (text?.text ?? "")))
    .join("\n");
}

export type ApiAnswer = Record<string, unknown>;

/** A response with `ok: false`. */
export class ApiError extends Error {
  readonly extra: Record<string, unknown>;

  constructor(code: string, extra: Record<string, unknown> = {}) {
    super(code);
    this.extra = extra;
  }
}
