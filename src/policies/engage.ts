/** Is a message meant for the bot? Message + the platform's settings → answer, or stay silent; with the reason. */
import { linearPattern } from "../linear-pattern.js";
import type { ChatType } from "../message.js";

export interface EngageQuestion {
  chatType: ChatType;
  /** The message names the bot. */
  mentioned: boolean;
  repliedToBot: boolean;
  /** It stands in a thread in which the bot has taken part. */
  threadWithBot: boolean;
  /** It names others, and not the bot. */
  mentionsOthers: boolean;
  /** Every id that a setting may mean: the chat, its thread, its parent channel. */
  channelIds: readonly string[];
  threadId: string | null;
  isBot: boolean;
  text: string;
}

export interface EngageSettings {
  requireMention: boolean;
  /** Only a mention counts: neither a reply to the bot nor a thread with it. */
  strictMention: boolean;
  /** A thread with the bot is no reason to answer in it. */
  threadRequireMention: boolean;
  /** What names others is left to them. */
  exclusiveMentions: boolean;
  freeResponseChannels: readonly string[];
  /** Empty: every channel. `*` stands for all, here and in the other lists. */
  allowedChannels: readonly string[];
  /** Empty: every thread. Says nothing about messages outside of threads. */
  allowedThreads: readonly string[];
  ignoredChannels: readonly string[];
  /** A mention is answered in channels that are not allowed, too. */
  guestMode: boolean;
  /** Regular expressions that count as a mention, whatever their case. */
  mentionPatterns: readonly string[];
  allowBots: "none" | "mentions" | "all";
}

export type AnswerBecause =
  | "dm"
  | "free_response"
  | "mention_not_required"
  | "mentioned"
  | "mention_pattern"
  | "reply_to_bot"
  | "thread_with_bot";

export type SilenceReason =
  | "bot"
  | "ignored_channel"
  | "channel_not_allowed"
  | "thread_not_allowed"
  | "for_others"
  | "not_mentioned";

export type EngageDecision =
  | { answer: true; because: AnswerBecause }
  | { answer: false; reason: SilenceReason };

export function engageDecision(message: EngageQuestion, settings: EngageSettings): EngageDecision {
  const reason = silenceReason(message, settings);
  if (reason !== undefined) return { answer: false, reason };
  const because = answerReason(message, settings);
  return because === undefined ? { answer: false, reason: "not_mentioned" } : { answer: true, because };
}

function silenceReason(message: EngageQuestion, settings: EngageSettings): SilenceReason | undefined {
  if (message.isBot && !hearsBot(message, settings)) return "bot";
  if (message.chatType === "dm") return undefined;
  if (lists(settings.ignoredChannels, message.channelIds)) return "ignored_channel";
  const isGuest = settings.guestMode && message.mentioned;
  if (!isGuest && !allows(settings.allowedChannels, message.channelIds)) return "channel_not_allowed";
  if (message.threadId !== null && !allows(settings.allowedThreads, [message.threadId]))
    return "thread_not_allowed";
  const isOurs = message.mentioned || message.repliedToBot;
  return settings.exclusiveMentions && message.mentionsOthers && !isOurs ? "for_others" : undefined;
}

function hearsBot(message: EngageQuestion, settings: EngageSettings): boolean {
  return settings.allowBots === "all" || (settings.allowBots === "mentions" && message.mentioned);
}

function answerReason(message: EngageQuestion, settings: EngageSettings): AnswerBecause | undefined {
  if (message.chatType === "dm") return "dm";
  if (message.mentioned) return "mentioned";
  if (lists(settings.freeResponseChannels, message.channelIds)) return "free_response";
  if (!settings.requireMention) return "mention_not_required";
  if (settings.mentionPatterns.some((pattern) => patternMatches(pattern, message.text)))
    return "mention_pattern";
  if (settings.strictMention) return undefined;
  if (message.repliedToBot) return "reply_to_bot";
  return message.threadWithBot && !settings.threadRequireMention ? "thread_with_bot" : undefined;
}

/** An empty list allows everything. */
function allows(list: readonly string[], ids: readonly string[]): boolean {
  return list.length === 0 || lists(list, ids);
}

function lists(list: readonly string[], ids: readonly string[]): boolean {
  return list.some((entry) => entry === "*" || ids.includes(entry));
}

/** A pattern that doesn't compile matches nothing; the config check has told the operator. */
function patternMatches(pattern: string, text: string): boolean {
  try {
    return linearPattern(pattern).test(text);
  } catch {
    return false;
  }
}
