/** A pressed button → the message that answers the question. Pure. */
import type { InboundMessage } from "../../message.js";
import { readPress } from "../kit/buttons.js";
import { isTs, pressEventId } from "./ids.js";
import { type NormaliseContext, PLATFORM } from "./normalise.js";
import type { SlackPress } from "./payloads.js";

/** Undefined: not a button of ours. */
export function normalisePress(body: SlackPress, context: NormaliseContext): InboundMessage | undefined {
  const { actions: [action] = [], user, channel, message, container } = body;
  const choice = readPress(action?.action_id);
  const messageTs = message?.ts ?? container?.message_ts;
  const at = action?.action_ts;
  if (!choice || !user?.id || !channel?.id || !isTs(messageTs) || !isTs(at)) return undefined;
  const threadTs = message?.thread_ts ?? container?.thread_ts;
  return {
    platform: PLATFORM,
    account: context.account,
    eventId: pressEventId(context.identity.teamId, channel.id, user.id, at),
    origin: {
      platform: PLATFORM,
      chatType: channel.id.startsWith("D") ? "dm" : "group",
      chatId: channel.id,
      // A message that others have answered names itself as its thread.
      threadId: isTs(threadTs) && threadTs !== messageTs ? threadTs : null,
      userId: user.id,
      userName: context.nameOf(user.id) ?? user.name ?? null,
      guildId: body.team?.id ?? context.identity.teamId,
      messageId: messageTs,
    },
    text: action?.text?.text ?? choice.choiceId,
    attachments: [],
    sentAt: Number(at),
    mentioned: true,
    repliedToBot: false,
    threadWithBot: true,
    isBot: false,
    authenticated: false,
    choice,
  };
}
