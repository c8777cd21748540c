/** Who a message is addressed to. Telegram marks mentions and commands by UTF-16 offsets, like JavaScript's. Pure. */
import type { Message, MessageEntity } from "grammy/types";

interface Self {
  id: number;
  username: string;
}

export interface Addressing {
  mentioned: boolean;
  /** A command for another bot. */
  otherBot: boolean;
  /** Other bots are mentioned, and we are not. */
  mentionsOthers: boolean;
}

export function addressing(message: Message, self: Self): Addressing {
  const text = message.text ?? message.caption ?? "";
  const entities = entitiesOf(message);
  const mentioned = entities.some((entity) => isOurs(entity, text, self));
  const command = entities.find((entity) => entity.type === "bot_command" && entity.offset === 0);
  const addressee = command && addresseeOf(command, text);
  const mentionsOthers = !mentioned && entities.some((entity) => namesBot(entity, text));
  const otherBot = addressee !== undefined && !sameName(addressee, self.username);
  return { mentioned, otherBot, mentionsOthers };
}

/** Without mentions of the bot, unless the text is nothing else. */
export function withoutMentions(message: Message, text: string, self: Self): string {
  let cut = text;
  const ours = entitiesOf(message).filter((entity) => isOurs(entity, text, self));
  for (const entity of ours.sort((a, b) => b.offset - a.offset)) cut = withoutName(cut, entity);
  cut = cut.trim();
  return cut === "" ? text.trim() : cut;
}

function withoutName(text: string, { type, offset, length }: MessageEntity): string {
  const end = offset + length;
  if (type === "bot_command") {
    const at = text.indexOf("@", offset);
    return text.slice(0, at) + text.slice(end);
  }
  // "ask @bot, please" keeps its comma; "ask @bot please" keeps one space.
  const before = text.slice(0, offset);
  const after = text.slice(end);
  const doubled = /(^|\s)$/.test(before) && /^[^\S\n]/.test(after);
  return before + (doubled ? after.slice(1) : after);
}

function isOurs(entity: MessageEntity, text: string, self: Self): boolean {
  if (entity.type === "text_mention") return entity.user.id === self.id;
  const name = addresseeOf(entity, text);
  return name !== undefined && sameName(name, self.username);
}

/** Every bot's name ends in "bot". */
function namesBot(entity: MessageEntity, text: string): boolean {
  if (entity.type === "text_mention") return entity.user.is_bot;
  return entity.type === "mention" && /bot$/i.test(addresseeOf(entity, text) ?? "");
}

/** `bot` of `@bot` and `/help@bot`. */
function addresseeOf({ type, offset, length }: MessageEntity, text: string): string | undefined {
  if (type !== "mention" && type !== "bot_command") return undefined;
  return /@(\w+)$/.exec(text.slice(offset, offset + length))?.[1];
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function entitiesOf(message: Message): MessageEntity[] {
  return message.entities ?? message.caption_entities ?? [];
}
