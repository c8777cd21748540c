/** Is a message meant for the bot? Message + the platform's settings → answer or stay silent, with the reason. */
import { linearPattern } from "../linear-pattern.js";
import type { ChatType } from "../message.js";

export interface EngageQuestion {
  chatType: ChatType;
  /** The message mentions the bot. */
  mentioned: boolean;
  repliedToBot: boolean;
  /** It is in a thread in which the bot has written. */
  threadWithBot: boolean;
  /** The message mentions others but not the bot. */
  mentionsOthers: boolean;
  /** All ids that a setting can refer to: the chat, its thread, its parent channel. */
  channelIds: readonly string[];
  threadId: string | null;
  isBot: boolean;
  text: string;
}

export interface EngageSettings {
  requireMention: boolean;
  /** Requires a mention even in replies to the bot and in threads with it. */
  strictMention: boolean;
  /** Requires a mention in threads in which the bot has written. */
  threadRequireMention: boolean;
  /** Ignores messages that mention others. */
  exclusiveMentions: boolean;
  freeResponseChannels: readonly string[];
  /** Empty: every channel. `*` means all, here and in the other lists. */
  allowedChannels: readonly string[];
  /** Empty: every thread. Doesn't affect messages outside threads. */
  allowedThreads: readonly string[];
  ignoredChannels: readonly string[];
  /** Answers mentions even in channels that aren't allowed. */
  guestMode: boolean;
  /** Regular expressions that count as a mention. Case-insensitive. */
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
  if (message.isBot && !acceptsBot(message, settings)) return "bot";
  if (message.chatType === "dm") return undefined;
  if (matchesAny(settings.ignoredChannels, message.channelIds)) return "ignored_channel";
  const isGuest = settings.guestMode && message.mentioned;
  if (!isGuest && !allows(settings.allowedChannels, message.channelIds)) return "channel_not_allowed";
  if (message.threadId !== null && !allows(settings.allowedThreads, [message.threadId]))
    return "thread_not_allowed";
  const isOurs = message.mentioned || message.repliedToBot;
  return settings.exclusiveMentions && message.mentionsOthers && !isOurs ? "for_others" : undefined;
}

function acceptsBot(message: EngageQuestion, settings: EngageSettings): boolean {
  return settings.allowBots === "all" || (settings.allowBots === "mentions" && message.mentioned);
}

function answerReason(message: EngageQuestion, settings: EngageSettings): AnswerBecause | undefined {
  if (message.chatType === "dm") return "dm";
  if (message.mentioned) return "mentioned";
  if (matchesAny(settings.freeResponseChannels, message.channelIds)) return "free_response";
  if (!settings.requireMention) return "mention_not_required";
  if (settings.mentionPatterns.some((pattern) => patternMatches(pattern, message.text)))
    return "mention_pattern";
  if (settings.strictMention) return undefined;
  if (message.repliedToBot) return "reply_to_bot";
  return message.threadWithBot && !settings.threadRequireMention ? "thread_with_bot" : undefined;
}

/** An empty list allows everything. */
function allows(list: readonly string[], ids: readonly string[]): boolean {
  return list.length === 0 || matchesAny(list, ids);
}

function matchesAny(list: readonly string[], ids: readonly string[]): boolean {
  return list.some((entry) => entry === "*" || ids.includes(entry));
}

/** An invalid pattern matches nothing; the config check reports it. */
function patternMatches(pattern: string, text: string): boolean {
  try {
    return linearPattern(pattern).test(text);
  } catch {
    return false;
  }
}
