/** A message's content → the text that the agent reads. Pure. */
import type { APIMessage, APIMessageSnapshotFields } from "discord.js";
import { withoutTrailing } from "../../trailing.js";

export interface TextContext {
  botId: string;
  /** The bot's own role in this server. */
  botRoleId: string | null;
  channelName(id: string): string | null;
}

/** The text, then descriptions of stickers, polls, cards and forwarded messages. */
export function textOf(message: APIMessage, context: TextContext): string {
  const pieces = [
    readable(message.content ?? "", message, context),
    ...forwards(message, context),
    ...(message.sticker_items ?? []).map(({ name }) => `[Sticker: ${name}]`),
    ...(message.poll ? [pollText(message.poll)] : []),
    ...cards(message),
  ];
  return pieces.filter((piece) => piece !== "").join("\n");
}

/** In the text; the ping of a reply doesn't count (that is `repliedToBot`). */
export function mentionsBot(content: string, context: TextContext): boolean {
  return ownMentions(context).some((mention) => content.includes(mention));
}

function ownMentions({ botId, botRoleId }: TextContext): string[] {
  return [`<@${botId}>`, `<@!${botId}>`, ...(botRoleId === null ? [] : [`<@&${botRoleId}>`])];
}

/** Others are mentioned, and the bot isn't. */
export function mentionsOthers(content: string, context: TextContext): boolean {
  return /<@!?\d+>/.test(content) && !mentionsBot(content, context);
}

/** Ids → names; mentions of the bot are removed. */
function readable(content: string, message: Pick<APIMessage, "mentions">, context: TextContext): string {
  const names = new Map((message.mentions ?? []).map((user) => [user.id, user.global_name ?? user.username]));
  return withoutOwn(content.replaceAll("\0", ""), context)
    .replace(/<@!?(\d+)>/g, (whole, id: string) => (names.has(id) ? `@${names.get(id)}` : whole))
    .replace(/<#(\d+)>/g, (whole, id: string) => {
      const name = context.channelName(id);
      return name === null ? whole : `#${name}`;
    })
    .replace(/<a?(:\w+:)\d+>/g, "$1")
    .trim();
}

/** Removes the blanks around a mention too. The text has no NUL, so NUL can mark the mentions. */
function withoutOwn(text: string, context: TextContext): string {
  const marked = ownMentions(context).reduce((rest, mention) => rest.replaceAll(mention, "\0"), text);
  const parts = marked.split("\0");
  if (parts.length === 1) return text;
  return parts.map((part) => withoutTrailing(part.replace(/^[ \t]+/, ""), " \t")).join(" ");
}

function forwards(message: APIMessage, context: TextContext): string[] {
  return (message.message_snapshots ?? []).map(({ message: snapshot }) => {
    const mentions = snapshot.mentions ?? [];
    const text = readable(snapshot.content ?? "", { mentions }, context);
    return `[Forwarded message]\n${[text, ...filesOf(snapshot)].filter((line) => line !== "").join("\n")}`.trim();
  });
}

function filesOf({ attachments = [] }: Partial<APIMessageSnapshotFields>): string[] {
  return attachments.map(({ filename }) => `[File: ${filename}]`);
}

function pollText(poll: NonNullable<APIMessage["poll"]>): string {
  const answers = poll.answers.map(({ poll_media }) => poll_media.text).filter(Boolean);
  return `[Poll: ${poll.question.text ?? ""} — ${answers.join(" / ")}]`;
}

/** Cards of other bots. In a person's message, cards are only link previews. */
function cards({ author, embeds, webhook_id }: APIMessage): string[] {
  if (!author.bot && !webhook_id) return [];
  return (embeds ?? []).flatMap(({ title, description }) => {
    const text = [title, description].filter(Boolean).join(" — ");
    return text === "" ? [] : [`[Card: ${text}]`];
  });
}
