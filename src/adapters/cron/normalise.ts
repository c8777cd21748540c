/** A run that is due → a message, as if somebody had written it at that time. */
import { nowSeconds } from "../../clock.js";
import type { ScheduledRun } from "../../errand.js";
import type { InboundMessage, Principal, Target } from "../../message.js";

export const PLATFORM = "cron";
export const ACCOUNT = "cron";

export interface DueRun extends ScheduledRun {
  name: string;
  prompt: string;
  /** Where the answer goes; undefined: it is only kept. */
  target?: Target | undefined;
  heading?: string | undefined;
  principal: Principal;
  failsQuietly: boolean;
}

/** One tick is one event, however often it is brought; each has a chat and so a session of its own. */
export function messageOf(run: DueRun): InboundMessage {
  const { scheduleId, tick, nextAt, manual, name, prompt, target, heading, principal } = run;
  const eventId = `${scheduleId}@${tick}${manual ? "/manual" : ""}`;
  return {
    platform: PLATFORM,
    account: ACCOUNT,
    eventId,
    origin: {
      platform: PLATFORM,
      chatType: "dm",
      chatId: scheduleId,
      chatName: name,
      threadId: `${tick}${manual ? "-manual" : ""}`,
      userId: principal.userId,
      messageId: eventId,
    },
    text: prompt,
    attachments: [],
    sentAt: manual ? nowSeconds() : tick,
    mentioned: true,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: true,
    errand: {
      name,
      principal,
      end: "cron_complete",
      run: { scheduleId, tick, nextAt, ...(manual ? { manual } : {}) },
      ...(target ? { target } : {}),
      ...(heading ? { heading } : {}),
      ...(run.failsQuietly ? { failsQuietly: true } : {}),
    },
  };
}
