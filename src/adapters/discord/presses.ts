/** A pressed button → the message that answers the question. Pure. */
import type { APIInteraction } from "discord.js";
import { InteractionType } from "discord-api-types/v10";
import type { InboundMessage } from "../../message.js";
import { readPress } from "../kit/buttons.js";
import { timeOf } from "./ids.js";
import { type Context, originOf, PLATFORM, rolesOf } from "./normalise.js";

/** Undefined: not a button of ours. */
export function normalisePress(
  interaction: APIInteraction,
  context: Omit<Context, "replyInThread">,
): InboundMessage | undefined {
  const user = interaction.member?.user ?? interaction.user;
  if (interaction.type !== InteractionType.MessageComponent || !user) return undefined;
  const { custom_id: data } = interaction.data;
  const choice = readPress(data);
  if (!choice) return undefined;
  const { id, message, member } = interaction;
  return {
    platform: PLATFORM,
    account: context.account,
    eventId: id,
    origin: originOf({ ...context, replyInThread: false }, message.id, user, member?.nick),
    text: labelOf(message.components, data) ?? choice.choiceId,
    attachments: [],
    sentAt: timeOf(id) / 1000,
    mentioned: true,
    repliedToBot: false,
    threadWithBot: context.channel.withBot,
    ...rolesOf(member),
    isBot: user.bot === true,
    authenticated: false,
    choice,
  };
}

interface Row {
  components?: readonly { custom_id?: string; label?: string }[];
}

function labelOf(rows: readonly object[] | undefined, data: string): string | undefined {
  const buttons = (rows ?? []).flatMap((row) => (row as Row).components ?? []);
  return buttons.find((button) => button.custom_id === data)?.label;
}
