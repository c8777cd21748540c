/** A due run → a message, as if it had been written at that time. */
import { nowSeconds } from "../../clock.js";
import type { InboundMessage, Principal, Target } from "../../message.js";
import type { ScheduledRun } from "../../task.js";

export const PLATFORM = "cron";
export const ACCOUNT = "cron";

export interface DueRun extends ScheduledRun {
  name: string;
  prompt: string;
  /** Where the answer goes; undefined if it is only kept. */
  target?: Target | undefined;
  heading?: string | undefined;
  /** Who made the schedule; undefined: the operator. */
  principal?: Principal | undefined;
  failsQuietly: boolean;
}

/** One tick is one event, also when it is repeated; each has its own chat and so its own session. */
export function messageOf(run: DueRun): InboundMessage {
  const { scheduleId, tick, nextAt, manual, name, prompt, target, heading } = run;
  // The operator's own schedules may see what the operator sees.
  const principal = run.principal ?? { platform: PLATFORM, userId: scheduleId, owner: true };
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
    task: {
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
