/** What happened on Pigeon → what the gateway should know of it. Pure: tested without a network. */
import type { InboundMessage, MessageEdit, MessageRef } from "hermes-gateway/plugin";

export const PLATFORM = "pigeon";

/** Pigeon's events: numbers grow, and a redelivered event keeps its number. */
export interface PigeonEvent {
  number: number;
  kind: string;
  message: PigeonMessage;
}

interface PigeonMessage {
  id: string;
  room: { id: string; direct: boolean; name: string };
  from: { id: string; name: string; bot: boolean };
  text: string;
  /** The ids of those whom it names. */
  mentions: string[];
  answers: { id: string; from: string; text: string } | null;
  at: number;
}

/** Every event has a number, also one that we don't understand: it has been heard and must not come again. */
export function numberOf(event: unknown): number {
  const { number } = (event ?? {}) as Partial<PigeonEvent>;
  return typeof number === "number" ? number : 0;
}

export type Happening =
  | { kind: "said"; message: InboundMessage }
  | { kind: "changed"; edit: MessageEdit }
  | { kind: "removed"; ref: MessageRef };

/** undefined: nothing that is ours to know. */
export function normalise(event: unknown, account: string): Happening | undefined {
  if (!isEvent(event)) return undefined;
  const { kind, message } = event;
  const ref = { platform: PLATFORM, account, chatId: message.room.id, messageId: message.id };
  if (kind === "said") return { kind, message: inboundOf(event, account) };
  if (kind === "changed") return { kind, edit: { ...ref, text: message.text } };
  if (kind === "removed") return { kind, ref };
  return undefined;
}

function inboundOf({ number, message }: PigeonEvent, account: string): InboundMessage {
  const { id, room, from, text, mentions, answers, at } = message;
  return {
    platform: PLATFORM,
    account,
    eventId: String(number),
    origin: {
      platform: PLATFORM,
      chatType: room.direct ? "dm" : "group",
      chatId: room.id,
      chatName: room.name,
      userId: from.id,
      userName: from.name,
      messageId: id,
    },
    text,
    attachments: [],
    sentAt: at,
    ...(answers ? { quoted: { text: answers.text, messageId: answers.id } } : {}),
    mentioned: mentions.includes(account),
    mentionsOthers: mentions.length > 0 && !mentions.includes(account),
    repliedToBot: answers?.from === account,
    threadWithBot: false,
    isBot: from.bot,
    // Pigeon says who it is, but whether they may talk is the operator's to say.
    authenticated: false,
  };
}

function isEvent(event: unknown): event is PigeonEvent {
  const { kind, message } = (event ?? {}) as Partial<PigeonEvent>;
  if (typeof kind !== "string" || numberOf(event) === 0) return false;
  const { id, room, from, text, mentions, at } = (message ?? {}) as Partial<PigeonMessage>;
  return (
    [id, room?.id, from?.id, text].every((field) => typeof field === "string") &&
    typeof at === "number" &&
    Array.isArray(mentions)
  );
}
