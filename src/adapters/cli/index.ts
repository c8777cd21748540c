/** One terminal, or one session of an editor: an account with one chat, in its own process. */

import { randomUUID } from "node:crypto";
import { nowSeconds } from "../../clock.js";
import type { InboundMessage, Origin, OutboundMessage, Target } from "../../message.js";
import type { PressedChoice } from "../../question.js";
import { TERMINAL_SOURCE } from "../../session.js";
import { traceIdOfRequest } from "../../trace-id.js";
import {
  type Adapter,
  type AdapterEvents,
  type CanAsk,
  type CanPreview,
  type Health,
  SendError,
} from "../adapter.js";
import { singlePart } from "../kit/single-part.js";

export const TERMINAL = TERMINAL_SOURCE;
/** The user id of every terminal: anyone who may run the program on this home. */
export const LOCAL_USER = "local";

/** Where messages are shown. */
export interface TerminalView {
  preview(turnId: string, text: string): void;
  show(message: OutboundMessage): void;
  /** The question that was shown with this id is decided. */
  decide(messageId: string, text: string): void;
}

export interface TerminalAdapter extends Adapter, CanAsk, CanPreview {
  /** Resolves when the inbox has it. */
  say(message: InboundMessage): Promise<void>;
}

const MAX_CHOICES = 100;

export interface TerminalChat {
  /** Default: a terminal. */
  platform?: string;
  id: string;
  /** No person is at the keyboard to answer questions. */
  unattended?: boolean | undefined;
}

export function terminalAdapter(
  { platform = TERMINAL, id, unattended = false }: TerminalChat,
  view: TerminalView,
): TerminalAdapter {
  let events: AdapterEvents | undefined;
  return {
    platform,
    account: id,
    limits: { length: 1_000_000, unit: "utf16" },
    maxChoices: MAX_CHOICES,
    ...(unattended ? { unattended } : {}),
    // It shows their paths.
    files: { maxBytes: Number.MAX_SAFE_INTEGER },

    async connect(given: AdapterEvents): Promise<void> {
      events = given;
    },

    async disconnect(): Promise<void> {
      events = undefined;
    },

    health(): Health {
      return events ? { state: "ok", lastProofAt: nowSeconds() } : { state: "down", lastProofAt: null };
    },

    async say(message: InboundMessage): Promise<void> {
      if (!events) throw new SendError("never_sent", "The terminal is closed");
      await events.receive(message);
    },

    preview: (_target: Target, turnId: string, text: string) => view.preview(turnId, text),

    ...singlePart(async (message) => {
      view.show(message);
      return shownId(message);
    }),

    async settleQuestion(_target: Target, messageIds: readonly string[], text: string): Promise<void> {
      const id = messageIds.at(-1);
      if (id !== undefined) view.decide(id, text);
    },
  };
}

export function shownId({ id }: OutboundMessage): string {
  return `out:${id}`;
}

export function terminalOrigin({ platform = TERMINAL, id }: TerminalChat): Origin {
  return { platform, chatType: "dm", chatId: id, userId: LOCAL_USER, userName: "You" };
}

export function terminalMessage(chat: TerminalChat, text: string, choice?: PressedChoice): InboundMessage {
  const eventId = randomUUID();
  const origin = terminalOrigin(chat);
  return {
    platform: origin.platform,
    account: chat.id,
    eventId,
    origin: { ...origin, messageId: eventId },
    text,
    attachments: [],
    sentAt: nowSeconds(),
    mentioned: false,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: true,
    traceId: traceIdOfRequest(eventId),
    ...(choice ? { choice } : {}),
  };
}
