/** Does a message get in? It must not be too old, its author may write, and it is meant for the bot. Pure. */
import type { InboundMessage } from "../message.js";
import { type AccessLists, accessDecision, anyAllowlistSet, unauthorizedResponse } from "./access.js";
import { type EngageSettings, engageDecision } from "./engage.js";
import { type Arrival, isTooOld } from "./lateness.js";

/** The rules of a platform. */
export interface AdmissionRules {
  lists: AccessLists;
  engage: EngageSettings;
  /** How direct messages from strangers are handled. */
  dmBehaviour: "pair" | "ignore" | undefined;
  /** Older missed messages get no answer; undefined means no limit. */
  maxAgeSeconds: number | undefined;
}

/** What becomes of a message that doesn't get in, and why. */
export interface Rejection {
  to: "ignore" | "refuse" | "pair";
  reason: string;
}

/** The reason for messages older than `catch_up_max_age`. */
export const TOO_OLD = "too_old";
/** The reason for people who aren't on any list. */
export const NOT_LISTED = "not_listed";

/** Undefined if it gets in. `paired`: the pairing store knows its author. */
export function rejectionOf(
  message: InboundMessage,
  rules: AdmissionRules,
  { receivedAt, startedAt }: Pick<Arrival, "receivedAt" | "startedAt">,
  paired: boolean,
): Rejection | undefined {
  const { sentAt, task, choice } = message;
  const { maxAgeSeconds } = rules;
  if (!task && maxAgeSeconds !== undefined) {
    if (isTooOld({ sentAt, receivedAt, startedAt, maxAgeSeconds })) return { to: "refuse", reason: TOO_OLD };
  }
  const refusal = refusalOf(message, rules, paired);
  if (refusal) return refusal;
  // A pressed button whose question is gone.
  if (choice) return { to: "ignore", reason: "unknown question" };
  const engaged = engagedBy(message, rules.engage);
  return engaged.answer ? undefined : { to: "ignore", reason: engaged.reason };
}

function refusalOf(
  { origin, isBot, authenticated, roles }: InboundMessage,
  { lists, dmBehaviour }: AdmissionRules,
  paired: boolean,
): Rejection | undefined {
  const decision = accessDecision({ origin, isBot, authenticated, paired: false, lists, roles });
  if (decision.allow) return undefined;
  const isUnknown = decision.reason === NOT_LISTED;
  if (isUnknown && paired) return undefined;
  const response = unauthorizedResponse({
    chatType: origin.chatType,
    dmBehaviour,
    anyAllowlistSet: anyAllowlistSet(lists),
  });
  return { to: response === "pair" && isUnknown ? "pair" : "refuse", reason: decision.reason };
}

function engagedBy(message: InboundMessage, settings: EngageSettings): ReturnType<typeof engageDecision> {
  const { origin, mentioned, repliedToBot, threadWithBot, isBot, text, mentionsOthers = false } = message;
  const { chatType, threadId = null } = origin;
  const channelIds = [origin.chatId, origin.threadId, origin.parentChatId].filter((id) => !!id) as string[];
  const content = { mentioned, repliedToBot, mentionsOthers, isBot, text };
  return engageDecision({ chatType, threadId, channelIds, threadWithBot, ...content }, settings);
}
