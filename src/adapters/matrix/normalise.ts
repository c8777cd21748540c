/** An event → a message, an edit or a deletion for the gateway. Pure. */
import { displayName } from "../../media/names.js";
import { kindOf } from "../../media/sniff.js";
import type { Attachment, InboundMessage } from "../../message.js";
import { isRecord } from "../kit/rest.js";
import type { MatrixEvent } from "./api.js";
import { isEventId, isUserId } from "./ids.js";

export const PLATFORM = "matrix";

export interface Self {
  id: string;
  /** As people see it, for mentions. */
  name: string | null;
}

export interface RoomFacts {
  name: string | null;
  isDirect: boolean;
  encrypted: boolean;
}

export interface ThreadFacts {
  withBot: boolean;
  byBot: boolean;
}

export interface EventContext {
  self: Self;
  account: string;
  roomId: string;
  room: RoomFacts;
  replyInThread: boolean;
  commands: ReadonlySet<string>;
  userName: string | null;
  thread: ThreadFacts | undefined;
  /** The event that is replied to; undefined if it can't be seen. */
  repliedTo: MatrixEvent | undefined;
}

export type Happening =
  | { kind: "message" }
  | { kind: "edit"; target: string; body: string }
  | { kind: "redaction"; target: string };

const FILES: ReadonlySet<unknown> = new Set(["m.image", "m.file", "m.audio", "m.video"]);
const TEXTS: ReadonlySet<unknown> = new Set(["m.text", "m.emote", "m.location"]);

/** Undefined if it isn't for the gateway. By convention, notices come from other bots. */
export function happeningOf({ type, content, redacts, stateKey }: MatrixEvent): Happening | undefined {
  if (stateKey !== undefined) return undefined;
  if (type === "m.room.redaction") {
    const target = redacts ?? content.redacts;
    return isEventId(target) ? { kind: "redaction", target } : undefined;
  }
  if (type !== "m.room.message") return undefined;
  const { rel_type: relation, event_id: target } = relationOf(content);
  if (relation === "m.replace") {
    const body = isRecord(content["m.new_content"]) ? content["m.new_content"].body : undefined;
    return isEventId(target) && typeof body === "string" ? { kind: "edit", target, body } : undefined;
  }
  const isKnown = TEXTS.has(content.msgtype) || FILES.has(content.msgtype);
  return isKnown && typeof content.body === "string" ? { kind: "message" } : undefined;
}

export function relationOf(content: MatrixEvent["content"]): Readonly<Record<string, unknown>> {
  const relation = content["m.relates_to"];
  return isRecord(relation) ? relation : {};
}

/** The root of its thread. */
export function rootOf({ content }: MatrixEvent): string | undefined {
  const { rel_type: relation, event_id: root } = relationOf(content);
  return relation === "m.thread" && isEventId(root) ? root : undefined;
}

/** The message that it replies to, not counting the thread's last one that old clients show. */
export function repliedToId({ content }: MatrixEvent): string | undefined {
  const relation = relationOf(content);
  const reply = relation["m.in_reply_to"];
  if (relation.is_falling_back === true || !isRecord(reply)) return undefined;
  return isEventId(reply.event_id) ? reply.event_id : undefined;
}

export function inboundOf(event: MatrixEvent, context: EventContext): InboundMessage {
  const { self, account, roomId, room, thread, repliedTo } = context;
  const chatType = room.isDirect ? "dm" : "group";
  const mentions = mentionsIn(event);
  const mentioned = mentions?.includes(self.id) ?? isNamedIn(event, self.id);
  const isReply = repliedToId(event) !== undefined;
  const quoted = isReply ? quoteOf(event, repliedTo) : undefined;
  const file = FILES.has(event.content.msgtype) ? attachmentOf(event) : undefined;
  return {
    platform: PLATFORM,
    account,
    eventId: event.eventId,
    origin: {
      platform: PLATFORM,
      chatType,
      chatId: roomId,
      chatName: room.name,
      threadId: rootOf(event) ?? (context.replyInThread && !room.isDirect ? event.eventId : null),
      userId: event.sender,
      userName: context.userName,
      messageId: event.eventId,
    },
    text: file ? captionOf(event) : textOf(event.content, mentioned, context),
    attachments: file ? [file] : [],
    sentAt: event.at / 1000,
    ...(quoted ? { quoted } : {}),
    mentioned,
    repliedToBot: (isReply && repliedTo?.sender === self.id) || (thread?.byBot ?? false),
    threadWithBot: thread?.withBot ?? false,
    ...(!mentioned && (mentions ?? []).some((id) => id !== event.sender) ? { mentionsOthers: true } : {}),
    isBot: false,
    authenticated: false,
  };
}

/** The text of an edit, as of a message. */
export function editedText(body: string, context: Pick<EventContext, "self" | "commands">): string {
  return textOf({ body }, body.includes(context.self.id), context);
}

// ── text ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Undefined if the client is too old to list them. */
function mentionsIn({ content }: MatrixEvent): string[] | undefined {
  const mentions = content["m.mentions"];
  if (!isRecord(mentions)) return undefined;
  return Array.isArray(mentions.user_ids) ? mentions.user_ids.filter(isUserId) : [];
}

function isNamedIn({ content }: MatrixEvent, id: string): boolean {
  return [content.body, content.formatted_body].some((text) => typeof text === "string" && text.includes(id));
}

/** Without the quote that old clients put before it, and without the bot's own name. `!status` means `/status`. */
function textOf(
  content: MatrixEvent["content"],
  mentioned: boolean,
  { self, commands }: Pick<EventContext, "self" | "commands">,
): string {
  const body = withoutQuote(content);
  const named = mentioned ? withoutName(body, self) : body;
  const text = content.msgtype === "m.emote" ? `* ${named}` : named;
  const [, word] = /^!([a-z][\w-]{0,40})(?!\S)/i.exec(text) ?? [];
  return word !== undefined && commands.has(word.toLowerCase()) ? `/${text.slice(1)}` : text;
}

function withoutName(body: string, { id, name }: Self): string {
  if (body.includes(id))
    return body
      .replaceAll(id, "")
      .replace(/^[\s:,]+/, "")
      .trim();
  if (name === null || name === "" || !body.toLowerCase().startsWith(name.toLowerCase())) return body;
  const rest = body.slice(name.length);
  return /^[\s:,]/.test(rest) ? rest.replace(/^[\s:,]+/, "") : body;
}

/** The lines before the first empty one, if all begin with `> `. */
function quoteLines(content: MatrixEvent["content"]): number {
  const lines = String(content.body ?? "").split("\n");
  const end = lines.findIndex((line) => !line.startsWith("> "));
  const isReply = isRecord(relationOf(content)["m.in_reply_to"]);
  return isReply && end > 0 && lines[end] === "" ? end : 0;
}

function withoutQuote(content: MatrixEvent["content"]): string {
  const body = String(content.body ?? "");
  const count = quoteLines(content);
  return count === 0
    ? body
    : body
        .split("\n")
        .slice(count + 1)
        .join("\n");
}

function quoteOf(event: MatrixEvent, repliedTo: MatrixEvent | undefined): InboundMessage["quoted"] {
  const messageId = repliedToId(event)!;
  if (repliedTo) return { text: withoutQuote(repliedTo.content), messageId };
  const lines = String(event.content.body).split("\n").slice(0, quoteLines(event.content));
  const text = lines.map((line) => line.slice(2)).join("\n");
  return text === "" ? undefined : { text, messageId };
}

// ── files ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The body is the file's name, unless the name is given beside it. */
function captionOf({ content }: MatrixEvent): string {
  const { filename, body } = content;
  return typeof filename === "string" && filename !== body ? String(body) : "";
}

function attachmentOf({ content }: MatrixEvent): Attachment {
  const { filename, body, info } = content;
  const { mimetype, size } = isRecord(info) ? info : {};
  const name = displayName(String(filename ?? body));
  const mimeType = typeof mimetype === "string" && mimetype !== "" ? mimetype : undefined;
  return {
    kind: kindOf(mimeType),
    ...(name === "" ? {} : { name }),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(typeof size === "number" ? { bytes: size } : {}),
  };
}
