/** Publishes the pipeline's events to people's tabs. */
import type { AnswerMessage, NoticeMessage, TurnFinished } from "../../adapters/web/api.js";
import { type ConversationRef, conversationRef } from "../../adapters/web/live.js";
import { PLATFORM } from "../../adapters/web/normalise.js";
import { buttonsFor } from "../../adapters/web/questions.js";
import { nowSeconds } from "../../clock.js";
import type { GatewayEvent, GatewayEventOf, TurnEnd } from "../../events.js";
import type { InboundMessage, OutboundMessage } from "../../message.js";
import { BACKGROUND } from "../../one-turn.js";
import { scopeOf, type WebChat } from "./chat.js";
import { conversationAt } from "./conversations.js";
import { ANSWER, type AnswerValue, sentFile, uploadedFile } from "./extras.js";
import { uploadsOf } from "./files.js";
import { answerId } from "./history.js";
import type { Visitor } from "./visitor.js";

const OUTCOMES: Record<TurnEnd["outcome"], TurnFinished["outcome"]> = {
  ...{
    answered: "answered",
    silent: "silent",
    interrupted: "interrupted",
    stopped: "stopped",
    failed: "failed",
  },
  ...{ retrying: "retrying", overtaken: "retrying", released: "retrying", suspended: "waiting" },
};

/** Returns a function that stops it. */
export function watchConversations(chat: WebChat): () => void {
  chat.adapter.onSent((ref, message) => sent(chat, ref, message));
  return chat.events.watch("web chat", (event) => {
    if (!("message" in event) || event.platform !== PLATFORM) return;
    const ref = refOf(event);
    // A watcher must return at once, so the reads run in the background.
    if (ref)
      void handle(chat, ref, event).catch((error: unknown) => chat.log.error({ err: error }, "web chat"));
  });
}

type EventWithMessage = Extract<GatewayEvent, { message: InboundMessage }>;

/** Undefined for background work and tasks: only their answers are shown in a conversation. */
function refOf({ message, sessionKey }: EventWithMessage): ConversationRef | undefined {
  const { origin, task } = message;
  const { chatId, threadId = null } = origin;
  return task || sessionKey.includes(BACKGROUND) ? undefined : conversationRef({ chatId, threadId });
}

async function handle(chat: WebChat, ref: ConversationRef, event: EventWithMessage): Promise<void> {
  const { live } = chat.adapter;
  if (event.type === "accepted") return accepted(chat, ref, event.message);
  if (event.type === "turn-started") {
    live.started(ref, event.turnId, event.at, event.eventIds);
    // A new conversation is listed at once, not only after its first answer.
    return publishConversation(chat, ref);
  }
  if (event.type === "turn-usage") {
    const {
      model,
      inputTokens,
      outputTokens,
      cacheReadTokens,
      cacheWriteTokens,
      costUsd = null,
    } = event.usage;
    const input = inputTokens + cacheReadTokens + cacheWriteTokens;
    return live.used(ref, event.turnId, { model, inputTokens: input, outputTokens, costUsd });
  }
  if (event.type === "turn-ended") return ended(chat, ref, event);
}

/** Pressed buttons and messages from commands aren't shown. */
async function accepted(chat: WebChat, ref: ConversationRef, message: InboundMessage): Promise<void> {
  const { eventId: clientId, text, sentAt: at, choice, fromCommand } = message;
  if (choice || fromCommand) return;
  const { person, conversationId } = ref;
  const uploads = message.attachments.length > 0 ? await uploadsOf(scopeAt(chat, ref), clientId) : [];
  const queued = { clientId, text, files: uploads.map(uploadedFile), at };
  chat.adapter.live.publish(person, { type: "queued", conversationId, message: queued });
}

async function ended(
  chat: WebChat,
  ref: ConversationRef,
  event: GatewayEventOf<"turn-ended">,
): Promise<void> {
  const { turnId, outcome, eventIds } = event;
  const seconds = chat.adapter.live.secondsOf(ref, turnId);
  const usage = chat.adapter.live.ended(ref, turnId, OUTCOMES[outcome]);
  // A complete answer's record is saved when it is sent.
  const isCut = outcome === "stopped" || outcome === "interrupted";
  if (isCut) await saveAnswer(chat, ref, eventIds.at(-1)!, { turnId, seconds, ...(usage ? { usage } : {}) });
  await publishConversation(chat, ref);
}

async function publishConversation(chat: WebChat, ref: ConversationRef): Promise<void> {
  const conversation = await conversationAt(scopeAt(chat, ref));
  if (conversation) chat.adapter.live.publish(ref.person, { type: "conversation", conversation });
}

/** Saves details of an answer, under the client id of the message that it answers. */
async function saveAnswer(
  { store }: WebChat,
  ref: ConversationRef,
  clientId: string,
  value: AnswerValue,
): Promise<void> {
  const key = { platform: PLATFORM, kind: ANSWER, owner: ref.person, id: clientId };
  await store.saveRecord({ ...key, place: ref.conversationId, value });
}

/** Only the person's id is needed. */
function scopeAt(chat: WebChat, { person: id, conversationId }: ConversationRef) {
  const person: Visitor = { id, name: null, signedIn: false, owner: false, deviceId: null };
  return scopeOf(chat, person, conversationId);
}

async function sent(chat: WebChat, ref: ConversationRef, message: OutboundMessage): Promise<void> {
  const { person, conversationId } = ref;
  const { id, kind, turnId, target, files = [] } = message;
  const isAnswer = kind === "answer" && turnId !== null && target.replyTo !== null;
  const usage = chat.adapter.live.usageOf(ref, turnId);
  const seconds = chat.adapter.live.secondsOf(ref, turnId);
  const value = { turnId, outboxId: id, files: [...files], seconds, ...(usage ? { usage } : {}) };
  if (isAnswer) await saveAnswer(chat, ref, target.replyTo!, value);
  const shown = isAnswer ? { ...answerOf(message, target.replyTo!), usage } : noticeOf(message);
  chat.adapter.live.publish(person, { type: "message", conversationId, message: shown });
}

function answerOf({ id, text, turnId, files = [] }: OutboundMessage, asked: string): AnswerMessage {
  return {
    ...{
      from: "agent",
      id: answerId(asked),
      position: 0,
      at: nowSeconds(),
      text,
      final: true,
      stopped: false,
    },
    ...{ undone: false, turnId, tools: [], reasoning: null, usage: null, sources: [] },
    files: files.map((file, i) => sentFile(file, id, i)),
  };
}

function noticeOf({ id, kind, text, question, files = [] }: OutboundMessage): NoticeMessage {
  return {
    ...{ from: "gateway", id: `out:${id}`, position: 0, at: nowSeconds(), text },
    kind: question ? "question" : kind === "command" ? "command" : "notice",
    files: files.map((file, i) => sentFile(file, id, i)),
    buttons: [...(buttonsFor(question).buttons ?? [])],
  };
}
