/** Words of the emulated workspace. */

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
  /** Uploaded, but not yet shared anywhere. */
  pending: boolean;
}

export interface Metadata {
  event_type: string;
  event_payload: Record<string, unknown>;
}

/** A message as it stands now. */
export interface StoredMessage {
  channel: string;
  ts: string;
  user: string;
  botId?: string;
  /** As it was sent: Slack's markup, or what a stream has written so far. */
  text: string;
  blocks?: Block[];
  threadTs?: string;
  metadata?: Metadata;
  files: StoredFile[];
  /** Slack's own field for shared messages and cards. */
  attachments?: unknown[];
  edits: number;
  deleted: boolean;
  streaming: boolean;
  subtype?: string;
}

export interface Block {
  type: string;
  text?: string | { type: string; text: string };
}

/** What somebody reads: blocks stand for the text where there are any. */
export function visibleText(message: Pick<StoredMessage, "text" | "blocks">): string {
  if (!message.blocks || message.blocks.length === 0) return message.text;
  return message.blocks.map(({ text }) => (typeof text === "string" ? text : (text?.text ?? ""))).join("\n");
}

export type ApiAnswer = Record<string, unknown>;

/** An answer of `ok: false`. */
export class ApiError extends Error {
  readonly extra: Record<string, unknown>;

  constructor(code: string, extra: Record<string, unknown> = {}) {
    super(code);
    this.extra = extra;
  }
}
