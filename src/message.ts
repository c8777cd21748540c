import type { AnswerDetails, ClientRequest } from "./client-request.js";
import type { Errand } from "./errand.js";

/** Words for messages: as they arrive from a platform, as they leave for one. Times are epoch seconds. */

import type { TraceId } from "./trace-id.js";

/** Where a message comes from. Only `platform`, `chatType`, `chatId`, `threadId` and the user ids decide the session key. */
export interface Origin {
  platform: string;
  chatType: ChatType;
  chatId: string | null;
  chatName?: string | null;
  threadId?: string | null;
  userId?: string | null;
  /** A second, stable id of the same person (a Signal UUID, a Feishu union id); wins over `userId` in keys. */
  userIdAlt?: string | null;
  userName?: string | null;
  chatTopic?: string | null;
  chatIdAlt?: string | null;
  guildId?: string | null;
  parentChatId?: string | null;
  messageId?: string | null;
}

/** Platforms may add kinds of their own ("webhook"); anything but "dm" is a room. */
export type ChatType = "dm" | "group" | "channel" | "thread" | (string & {});

/** One id on one platform. */
export interface Person {
  platform: string;
  userId: string;
}

/** A chat that several people read. */
export interface Room {
  platform: string;
  chatId: string;
}

/** Who is asking. Owners see everything; everybody else their own sessions and the rooms they took part in. */
export interface Principal extends Person {
  owner?: boolean;
  /** Of all that they may see, only what belongs to it is found. */
  room?: Room;
}

export interface Attachment {
  kind: "image" | "audio" | "video" | "file" | (string & {});
  name?: string;
  mimeType?: string;
  bytes?: number;
  /** Where it lies under the home, once fetched. */
  path?: string;
  /** Why it wasn't fetched. */
  problem?: string;
}

/** A platform's event, normalised. It is one event exactly if platform, account and event id are the same. */
export interface InboundMessage {
  platform: string;
  /** The bot's own id there: one platform may have several. */
  account: string;
  eventId: string;
  origin: Origin;
  text: string;
  attachments: Attachment[];
  /** Its files are part of an album that comes as several messages. */
  inAlbum?: true;
  sentAt: number;
  /** What the message answers to. */
  quoted?: { text: string; messageId: string | null };
  mentioned: boolean;
  repliedToBot: boolean;
  threadWithBot: boolean;
  /** It names others and not the bot, where its platform can tell. */
  mentionsOthers?: boolean;
  /** The roles that its author has there. */
  roles?: readonly string[];
  isBot: boolean;
  /** The adapter has proved who is asking: a secret, a signature, the local terminal. */
  authenticated: boolean;
  /** Its author has changed it since: no command any more, whatever it says. */
  edited?: true;
  /** A command has made it (/queue, /background): no command itself, whatever it says. */
  fromCommand?: true;
  /** Nobody typed it. */
  errand?: Errand;
  /** A program waits for its answer. */
  request?: ClientRequest;
  /** Given by the source or made at its receipt: on all that becomes of it. */
  traceId?: TraceId;
}

/** Where an answer goes. */
export interface Target {
  platform: string;
  account: string;
  chatType: ChatType;
  chatId: string | null;
  threadId: string | null;
  userId: string | null;
  /** The platform's id of the message that is answered. */
  replyTo: string | null;
}

/** Answers before command replies before notices: the order of delivery when a platform makes us wait. */
export type OutboundKind = "answer" | "command" | "notice";

export interface OutboundMessage {
  /** The outbox row: grows with time, never used twice. */
  id: number;
  /** The same for every attempt at this message, so that a platform can recognise a repeat. */
  nonce: string;
  kind: OutboundKind;
  target: Target;
  /** Markdown; the adapter renders and splits it. */
  text: string;
  /** The turn that it answers, where it is an answer. */
  turnId: string | null;
  /** An earlier attempt may have arrived: the platform can't tell. */
  mayBeRepeat: boolean;
  /** The message that showed this answer while it was written: it becomes the first part instead of a new one. */
  replaces?: string;
  traceId?: TraceId;
  /** Files to send along. */
  files?: readonly OutboundFile[];
  /** For a program that waits for it. */
  details?: AnswerDetails;
}

/** A file that goes out: a copy of ours, so that it is the same file whenever it goes. */
export interface OutboundFile {
  /** What its readers see. */
  name: string;
  /** Of the copy, under the home. */
  path: string;
  mimeType: string;
  bytes: number;
  /** How it is shown, where a platform has several ways. */
  as?: "document" | "voice";
}

/** A file that an answer named and that isn't sent. */
export interface RefusedFile {
  name: string;
  problem: string;
}

export interface Receipt {
  /** The platform's ids of the messages that a reader sees, one a part. */
  messageIds: string[];
}

/** A received event, and what was said to it so far. */
export interface EventOutcome {
  message: InboundMessage;
  /** Nothing more will come of it. */
  over: boolean;
  sessionId: string | null;
  receivedAt: number;
  answers: Pick<OutboundMessage, "kind" | "text" | "details">[];
}

export function targetOf(
  message: Pick<InboundMessage, "platform" | "account" | "origin" | "errand">,
): Target {
  const { origin, errand } = message;
  if (errand?.target) return errand.target;
  return {
    platform: message.platform,
    account: message.account,
    chatType: origin.chatType,
    chatId: origin.chatId,
    threadId: origin.threadId ?? null,
    userId: origin.userId ?? null,
    replyTo: origin.messageId ?? null,
  };
}

/** Undefined: one person's own chat. */
export function roomOf({
  platform,
  chatType,
  chatId,
}: Pick<Target, "platform" | "chatType" | "chatId">): Room | undefined {
  return chatType === "dm" ? undefined : { platform, chatId: chatId ?? "" };
}

export function isSameRoom(a: Room, b: Room | undefined): boolean {
  return a.platform === b?.platform && a.chatId === b.chatId;
}

/** The room that reads what becomes of a message. What an errand tells nobody, no room reads. */
export function audienceOf(message: Parameters<typeof targetOf>[0]): Room | undefined {
  const { errand } = message;
  return errand && !errand.target ? undefined : roomOf(targetOf(message));
}

/** As a target is written and read: `platform:chat`, `platform:chat:thread`. */
export function formatTarget({
  platform,
  chatId,
  threadId,
}: Pick<Target, "platform" | "chatId" | "threadId">): string {
  return [platform, chatId ?? "", ...(threadId === null ? [] : [threadId])].join(":");
}
