import type { AnswerDetails, ClientRequest } from "./client-request.js";
import type { OutboundQuestion, PressedChoice } from "./question.js";
import type { Task } from "./task.js";

/** Inbound and outbound messages. Times are epoch seconds. */

import type { TraceId } from "./trace-id.js";

/** The origin of a message. Platform, chat type and the ids of chat, thread and user form the session key. */
export interface Origin {
  platform: string;
  chatType: ChatType;
  chatId: string | null;
  chatName?: string | null;
  threadId?: string | null;
  userId?: string | null;
  /** A second, stable id of the person (Signal UUID, Feishu union id). Keys prefer it to `userId`. */
  userIdAlt?: string | null;
  userName?: string | null;
  chatTopic?: string | null;
  chatIdAlt?: string | null;
  guildId?: string | null;
  parentChatId?: string | null;
  messageId?: string | null;
}

/** Platforms may add types ("webhook"); everything but "dm" is a room. */
export type ChatType = "dm" | "group" | "channel" | "thread" | (string & {});

/** A user id on a platform. */
export interface Person {
  platform: string;
  userId: string;
}

/** A chat that several people read. */
export interface Room {
  platform: string;
  chatId: string;
}

/** Who is asking. Owners see everything; others their own sessions and the rooms they took part in. */
export interface Principal extends Person {
  owner?: boolean;
  /** Search is limited to this room. */
  room?: Room;
}

export interface Attachment {
  kind: "image" | "audio" | "video" | "file" | (string & {});
  name?: string;
  mimeType?: string;
  bytes?: number;
  /** Its path under the home, once downloaded. */
  path?: string;
  /** Why it wasn't downloaded. */
  problem?: string;
}

/** A normalised platform event. Identified by platform, account and event id. */
export interface InboundMessage {
  platform: string;
  /** The bot's id; a platform can have several bots. */
  account: string;
  eventId: string;
  origin: Origin;
  text: string;
  attachments: Attachment[];
  /** Part of an album, which arrives as several messages. */
  inAlbum?: true;
  sentAt: number;
  /** The message that is replied to. */
  quoted?: { text: string; messageId: string | null };
  mentioned: boolean;
  repliedToBot: boolean;
  threadWithBot: boolean;
  /** Mentions others but not the bot, if the platform can tell. */
  mentionsOthers?: boolean;
  /** The author's roles. */
  roles?: readonly string[];
  isBot: boolean;
  /** The adapter has proof of who is asking: a secret, a signature, the local terminal. */
  authenticated: boolean;
  /** Its author has edited it: it never runs as a command. */
  edited?: true;
  /** A command created it (/queue, /background): it never runs as a command itself. */
  fromCommand?: true;
  /** From a schedule or a webhook, not typed in a chat. */
  task?: Task;
  /** A pressed button answers a question. The text is the button's label. */
  choice?: PressedChoice;
  /** Set if a program waits for the answer. */
  request?: ClientRequest;
  /** From the source, or created on receipt. Everything that follows from the message has it. */
  traceId?: TraceId;
}

/** The destination of an outbound message. */
export interface Target {
  platform: string;
  account: string;
  chatType: ChatType;
  chatId: string | null;
  threadId: string | null;
  userId: string | null;
  /** The platform's id of the message to reply to. */
  replyTo: string | null;
}

/** In the order of delivery while a platform limits the rate. */
export type OutboundKind = "answer" | "command" | "notice";

export interface OutboundMessage {
  /** The outbox row. Ids are never reused. */
  id: number;
  /** The same for every attempt, so platforms can recognise repeats. */
  nonce: string;
  kind: OutboundKind;
  target: Target;
  /** Markdown; the adapter renders and splits it. */
  text: string;
  /** The turn of an answer. */
  turnId: string | null;
  traceId?: TraceId;
  /** Files to send with it. */
  files?: readonly OutboundFile[];
  /** Only for adapters that can show its choices as buttons; elsewhere they are part of the text. */
  question?: OutboundQuestion;
  /** For a waiting program. */
  details?: AnswerDetails;
}

/** An outbound file: our own copy, so later changes to the original don't matter. */
export interface OutboundFile {
  /** The displayed name. */
  name: string;
  /** The copy's path under the home. */
  path: string;
  mimeType: string;
  bytes: number;
  /** How to show it, if the platform has several ways. */
  as?: "document" | "voice";
}

/** A file in an answer that isn't sent. */
export interface RefusedFile {
  name: string;
  problem: string;
}

/** A received event and its replies so far. */
export interface EventOutcome {
  message: InboundMessage;
  /** No further replies will follow. */
  over: boolean;
  sessionId: string | null;
  receivedAt: number;
  answers: Pick<OutboundMessage, "kind" | "text" | "details">[];
}

export function targetOf(message: Pick<InboundMessage, "platform" | "account" | "origin" | "task">): Target {
  const { origin, task } = message;
  if (task?.target) return task.target;
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

/** Undefined for a direct message. */
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

/** The room that reads the replies to a message. A task without a target has none. */
export function audienceOf(message: Parameters<typeof targetOf>[0]): Room | undefined {
  const { task } = message;
  return task && !task.target ? undefined : roomOf(targetOf(message));
}

/** The text form of a target: `platform:chat`, `platform:chat:thread`. */
export function formatTarget({
  platform,
  chatId,
  threadId,
}: Pick<Target, "platform" | "chatId" | "threadId">): string {
  return [platform, chatId ?? "", ...(threadId === null ? [] : [threadId])].join(":");
}
