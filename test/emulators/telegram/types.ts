/** The types of the Bot API that the emulator uses, and what a user sees. */

export type ChatKind = "private" | "group" | "supergroup" | "channel";

export interface Person {
  id: number;
  first_name: string;
  username?: string;
  is_bot: boolean;
}

export interface EmulatedChat {
  id: number;
  type: ChatKind;
  title?: string;
  first_name?: string;
  is_forum?: boolean;
}

/** A message in updates and results. */
export interface WireMessage {
  message_id: number;
  chat: EmulatedChat;
  date: number;
  from?: Person;
  text?: string;
  caption?: string;
  message_thread_id?: number;
  is_topic_message?: boolean;
  reply_to_message?: WireMessage;
  edit_date?: number;
  [kind: string]: unknown;
}

export interface WireUpdate {
  update_id: number;
  [kind: string]: unknown;
}

/** One message as the chat shows it. */
export interface SeenMessage {
  id: number;
  /** When it was sent; epoch milliseconds. */
  at: number;
  chatId: number;
  /** The bot, or the user's id; null: the channel itself. */
  from: "bot" | number | null;
  /** Without tags. */
  text: string;
  /** With tags, as it was sent; undefined: plain. */
  html: string | undefined;
  replyTo: number | undefined;
  threadId: number | undefined;
  edits: number;
  deleted: boolean;
  file: { method: string; name: string; bytes: number } | undefined;
  /** The buttons below it. */
  keyboard?: Keyboard | undefined;
}

export type Keyboard = { text: string; callback_data: string; style?: string }[][];

export interface Call {
  method: string;
  payload: Payload;
  at: number;
  /** The answer's error code; 0: success; undefined: not answered (yet). */
  code: number | undefined;
}

export type Payload = Record<string, unknown>;

export interface UploadedFile {
  field: string;
  name: string;
  content: Buffer;
}

/** A refusal by the server. */
export class ApiError extends Error {
  readonly code: number;
  readonly parameters: { retry_after?: number; migrate_to_chat_id?: number } | undefined;

  constructor(code: number, description: string, parameters?: ApiError["parameters"]) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}
