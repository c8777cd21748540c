/** A post → a message, an edit or a deletion for the gateway. Pure. */
import { displayName } from "../../media/names.js";
import { kindOf } from "../../media/sniff.js";
import type { Attachment, InboundMessage } from "../../message.js";
import type { MessageEdit, MessageRef } from "../adapter.js";
import { isRecord } from "../kit/rest.js";
import type { Channel, Me } from "./api.js";
import { isId } from "./ids.js";

export const PLATFORM = "mattermost";

/** The fields of a post that are read here. */
export interface Post {
  id: string;
  channelId: string;
  userId: string;
  rootId: string;
  message: string;
  /** Empty: written by a person. */
  type: string;
  createAt: number;
  editAt: number;
  deleteAt: number;
  props: Readonly<Record<string, unknown>>;
  fileIds: readonly string[];
  files: readonly Record<string, unknown>[];
}

/** Undefined if it isn't a post that we understand. */
export function readPost(value: unknown): Post | undefined {
  if (!isRecord(value)) return undefined;
  const { id, channel_id, user_id, root_id, message, type, create_at, edit_at, delete_at, props } = value;
  if (!isId(id) || !isId(channel_id) || !isId(user_id)) return undefined;
  if (typeof message !== "string" || typeof create_at !== "number") return undefined;
  const { file_ids: fileIds, metadata } = value;
  const files = isRecord(metadata) && Array.isArray(metadata.files) ? metadata.files.filter(isRecord) : [];
  return {
    id,
    channelId: channel_id,
    userId: user_id,
    rootId: isId(root_id) ? root_id : "",
    message,
    type: typeof type === "string" ? type : "",
    createAt: create_at,
    editAt: typeof edit_at === "number" ? edit_at : 0,
    deleteAt: typeof delete_at === "number" ? delete_at : 0,
    props: isRecord(props) ? props : {},
    fileIds: Array.isArray(fileIds) ? fileIds.filter(isId) : [],
    files,
  };
}

/** What a thread tells about a reply in it. */
export interface ThreadFacts {
  /** The bot has written in it. */
  withBot: boolean;
  /** The bot began it. */
  byBot: boolean;
  quoted?: { text: string; messageId: string };
}

export interface PostContext {
  me: Me;
  account: string;
  replyInThread: boolean;
  commands: ReadonlySet<string>;
  channel: Pick<Channel, "type" | "name">;
  userName: string | null;
  /** The ids that a push lists; undefined: only the text tells. */
  mentions: readonly string[] | undefined;
  thread: ThreadFacts | undefined;
}

export function isForGateway({ userId, type, deleteAt, message, fileIds }: Post, me: Me): boolean {
  if (userId === me.id || type !== "" || deleteAt > 0) return false;
  return message.trim() !== "" || fileIds.length > 0;
}

const CHAT_TYPES: Readonly<Record<string, string>> = { D: "dm", G: "group", P: "group", O: "channel" };

export function chatTypeOf(channelType: string): string {
  return CHAT_TYPES[channelType] ?? "group";
}

export function inboundOf(post: Post, context: PostContext): InboundMessage {
  const { me, account, channel, thread, mentions } = context;
  const chatType = chatTypeOf(channel.type);
  const mentioned = (mentions?.includes(me.id) ?? false) || namesIn(post.message).includes(me.username);
  const others = (mentions ?? []).some((id) => id !== me.id);
  return {
    platform: PLATFORM,
    account,
    eventId: post.id,
    origin: {
      platform: PLATFORM,
      chatType,
      chatId: post.channelId,
      chatName: channel.name,
      threadId: threadOf(post, chatType, context),
      userId: post.userId,
      userName: context.userName,
      messageId: post.id,
    },
    text: textOf(post, context),
    attachments: post.fileIds.map((id) => attachmentOf(post, id)),
    sentAt: post.createAt / 1000,
    ...(thread?.quoted ? { quoted: thread.quoted } : {}),
    mentioned,
    repliedToBot: thread?.byBot ?? false,
    threadWithBot: thread?.withBot ?? false,
    ...(others && !mentioned && chatType !== "dm" ? { mentionsOthers: true } : {}),
    isBot: post.props.from_bot === "true" || post.props.from_webhook === "true",
    authenticated: false,
  };
}

/** A post of a channel that is answered in a thread is the root of that thread. */
function threadOf({ id, rootId }: Post, chatType: string, { replyInThread }: PostContext): string | null {
  if (rootId !== "") return rootId;
  return replyInThread && chatType !== "dm" ? id : null;
}

export function editOf(post: Post, context: Pick<PostContext, "me" | "account" | "commands">): MessageEdit {
  return { ...refOf(post, context.account), text: textOf(post, context) };
}

export function refOf({ channelId, id }: Post, account: string): MessageRef {
  return { platform: PLATFORM, account, chatId: channelId, messageId: id };
}

// ── text ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Names end with a letter or digit; dots behind one end the sentence. */
const NAME = /(?<![\w@.-])@([a-z0-9](?:[\w.-]{0,63}\w)?)/gi;

function namesIn(text: string): string[] {
  return [...text.matchAll(NAME)].map(([, name]) => name!.toLowerCase());
}

/** Without the mention of the bot. `!status` means `/status`: Mattermost keeps words with a slash for itself. */
function textOf({ message }: Post, { me, commands }: Pick<PostContext, "me" | "commands">): string {
  const own = (whole: string, name: string) => (name.toLowerCase() === me.username ? "" : whole);
  const text = namesIn(message).includes(me.username) ? message.replace(NAME, own).trim() : message;
  const [, word] = /^!([a-z][\w-]{0,40})(?!\S)/i.exec(text) ?? [];
  return word !== undefined && commands.has(word.toLowerCase()) ? `/${text.slice(1)}` : text;
}

function attachmentOf({ files }: Post, id: string): Attachment {
  const { name, mime_type: mimeType, size } = files.find((file) => file.id === id) ?? {};
  const shown = typeof name === "string" ? displayName(name) : "";
  const type = typeof mimeType === "string" && mimeType !== "" ? mimeType : undefined;
  return {
    kind: kindOf(type),
    ...(shown === "" ? {} : { name: shown }),
    ...(type === undefined ? {} : { mimeType: type }),
    ...(typeof size === "number" ? { bytes: size } : {}),
  };
}
