import { checkButtons } from "./buttons.js";
import type { Args, Method, MethodContext } from "./methods.js";
import { ApiError, type Block, type Conversation, type Metadata, type StoredMessage } from "./types.js";
import { wireMessage } from "./wire.js";

const MAX_POST = 40_000;
const MAX_UPDATE = 4_000;
const MAX_SECTION = 3_000;
const MAX_BLOCKS_CHARS = 13_200;
const MAX_MARKDOWN = 12_000;
const MAX_BLOCKS = 50;

export const chatMethods: Record<string, Method> = {
  "chat.postMessage": (args, context) => {
    const room = writable(args, context);
    const content = contentOf(args);
    // Slack truncates longer texts without an error.
    const text = content.text.slice(0, MAX_POST);
    const message = context.workspace.add({
      ...content,
      ...bot(context),
      ...threadOf(args, room, context),
      text,
      channel: room.id,
    });
    return posted(message, context);
  },

  "chat.update": (args, context) => {
    const room = writable(args, context);
    const message = own(context.workspace.find(room.id, args.ts), context, "cant_update_message");
    if (message.streaming) throw new ApiError("streaming_state_conflict");
    const { text, blocks, metadata } = contentOf(args);
    if (text.length > MAX_UPDATE) throw new ApiError("msg_too_long");
    message.text = text;
    message.isMarkdown = args.markdown_text !== undefined;
    if (blocks) message.blocks = blocks;
    else delete message.blocks;
    if (metadata) message.metadata = metadata;
    message.edits += 1;
    return posted(message, context);
  },

  "chat.delete": (args, context) => {
    const room = writable(args, context);
    const message = own(context.workspace.find(room.id, args.ts), context, "cant_delete_message");
    message.deleted = true;
    return { channel: room.id, ts: message.ts };
  },

  "reactions.add": (args, context) => {
    const { reactions } = context.workspace;
    const key = `${reacted(args, context)} ${args.name}`;
    if (reactions.has(key)) throw new ApiError("already_reacted");
    reactions.add(key);
    return {};
  },

  "reactions.remove": (args, context) => {
    if (!context.workspace.reactions.delete(`${reacted(args, context)} ${args.name}`))
      throw new ApiError("no_reaction");
    return {};
  },

  "chat.startStream": (args, context) => {
    const room = writable(args, context);
    if (!args.thread_ts)
      throw new ApiError("invalid_arguments", { detail: "missing required field: thread_ts" });
    if (room.type !== "im" && !args.recipient_team_id) throw new ApiError("missing_recipient_team_id");
    if (room.type !== "im" && !args.recipient_user_id) throw new ApiError("missing_recipient_user_id");
    const text = streamed(args);
    const message = context.workspace.add({
      ...bot(context),
      ...threadOf(args, room, context),
      text,
      channel: room.id,
      streaming: true,
      isMarkdown: true,
    });
    return { channel: room.id, ts: message.ts };
  },

  "chat.appendStream": (args, context) => {
    const message = streaming(args, context);
    message.text += streamed(args);
    return { channel: message.channel, ts: message.ts };
  },

  "chat.stopStream": (args, context) => {
    const message = streaming(args, context);
    message.text += streamed(args);
    message.streaming = false;
    const { metadata, blocks } = contentOf({ ...args, text: "-" });
    if (metadata) message.metadata = metadata;
    if (blocks) message.blocks = blocks;
    return posted(message, context);
  },

  "assistant.threads.setStatus": (args, { workspace }) => {
    workspace.conversation(args.channel_id);
    if (!args.thread_ts) throw new ApiError("invalid_arguments");
    workspace.statuses.push({
      channel: args.channel_id!,
      threadTs: args.thread_ts,
      status: args.status ?? "",
    });
    return {};
  },
};

function writable(args: Args, { workspace }: MethodContext): Conversation {
  const room = workspace.conversation(args.channel);
  if (room.archived) throw new ApiError("is_archived");
  if (!room.members.has(workspace.botUser)) throw new ApiError("not_in_channel");
  return room;
}

function contentOf(args: Args): { text: string; blocks?: Block[]; metadata?: Metadata } {
  const text = args.markdown_text ?? args.text ?? "";
  const blocks = parsed<Block[]>(args.blocks, "invalid_blocks_format");
  const metadata = parsed<Metadata>(args.metadata, "invalid_metadata_format");
  if (text === "" && !blocks) throw new ApiError("no_text");
  if (args.markdown_text !== undefined && text.length > MAX_MARKDOWN) throw new ApiError("msg_too_long");
  if (blocks) checkBlocks(blocks);
  if (metadata && (typeof metadata.event_type !== "string" || typeof metadata.event_payload !== "object"))
    throw new ApiError("invalid_metadata_schema");
  return { text, ...(blocks ? { blocks } : {}), ...(metadata ? { metadata } : {}) };
}

function checkBlocks(blocks: Block[]): void {
  checkButtons(blocks);
  if (blocks.length > MAX_BLOCKS) throw new ApiError("invalid_blocks");
  const lengths = blocks.map(({ text }) => (typeof text === "string" ? text : (text?.text ?? "")).length);
  const tooLong = blocks.some(({ type }, i) => type === "section" && lengths[i]! > MAX_SECTION);
  if (tooLong) throw new ApiError("invalid_blocks", { detail: "must be less than 3001 characters" });
  if (lengths.reduce((sum, n) => sum + n, 0) > MAX_BLOCKS_CHARS) throw new ApiError("msg_blocks_too_long");
}

function parsed<T>(json: string | undefined, error: string): T | undefined {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as T;
  } catch {
    throw new ApiError(error);
  }
}

function bot({ workspace }: MethodContext) {
  return { user: workspace.botUser, botId: workspace.botId };
}

/** Like Slack, posts to the top level if the thread doesn't exist. */
function threadOf(args: Args, room: Conversation, { workspace }: MethodContext): { threadTs?: string } {
  if (!args.thread_ts) return {};
  const exists = workspace.all(room.id).some((message) => message.ts === args.thread_ts);
  return exists ? { threadTs: args.thread_ts } : {};
}

function own(message: StoredMessage, { workspace }: MethodContext, error: string): StoredMessage {
  if (message.user !== workspace.botUser) throw new ApiError(error);
  return message;
}

function streaming(args: Args, context: MethodContext): StoredMessage {
  const room = writable(args, context);
  const message = own(context.workspace.find(room.id, args.ts), context, "message_not_owned_by_app");
  if (!message.streaming) throw new ApiError("message_not_in_streaming_state");
  return message;
}

function streamed(args: Args): string {
  const chunks = parsed<{ type: string; text?: string }[]>(args.chunks, "invalid_chunks") ?? [];
  const text = (args.markdown_text ?? "") + chunks.map((chunk) => chunk.text ?? "").join("");
  if (text.length > MAX_MARKDOWN) throw new ApiError("msg_too_long");
  return text;
}

function posted(message: StoredMessage, { workspace, baseUrl }: MethodContext) {
  return { channel: message.channel, ts: message.ts, message: wireMessage(workspace, message, baseUrl) };
}

function reacted(args: Args, context: MethodContext): string {
  const room = writable(args, context);
  if (!context.workspace.find(room.id, args.timestamp)) throw new ApiError("message_not_found");
  return args.timestamp ?? "";
}
