/** Kinds of messages without words → a short description. Pure. */
import type { Message } from "grammy/types";

/** Undefined: words, files, or a kind that nobody should answer. */
export function describeKind(message: Message): string | undefined {
  const { sticker, venue, location, contact, poll, dice, game, story, checklist, paid_media } = message;
  if (sticker) return `[Sticker${withSpace(sticker.emoji)}]`;
  if (venue) return `[Place: ${venue.title}, ${venue.address}]`;
  if (location) return `[Location: ${location.latitude}, ${location.longitude}]`;
  if (contact)
    return `[Contact: ${[contact.first_name, contact.last_name, contact.phone_number].filter(Boolean).join(" ")}]`;
  if (poll) return `[Poll: ${poll.question} ${poll.options.map(({ text }) => `(${text})`).join(" ")}]`;
  if (dice) return `[Dice ${dice.emoji} ${dice.value}]`;
  if (game) return `[Game: ${game.title}]`;
  if (story) return "[Story]";
  if (checklist)
    return `[Checklist: ${checklist.title} ${checklist.tasks.map(({ text }) => `(${text})`).join(" ")}]`;
  if (paid_media) return "[Paid media]";
  return message.giveaway ? "[Giveaway]" : undefined;
}

function withSpace(text: string | undefined): string {
  return text === undefined ? "" : ` ${text}`;
}

const DEEPEST = 32;

/** The words of a rich message, block by block, whatever blocks there will be. */
export function richText({ rich_message }: Message): string | undefined {
  if (!rich_message) return undefined;
  const text = rich_message.blocks
    .map((block) => wordsIn(block, 0))
    .join("\n")
    .trim();
  return text === "" ? undefined : text;
}

function wordsIn(node: unknown, depth: number): string {
  if (depth > DEEPEST) return "";
  if (typeof node === "string") return node;
  if (Array.isArray(node)) return node.map((part) => wordsIn(part, depth + 1)).join("");
  if (typeof node !== "object" || node === null) return "";
  // Only fields that hold words or more of the same: a type or an address is neither.
  return ["text", "caption", "title", "summary", "blocks", "items", "cells", "rows"]
    .map((field) => wordsIn((node as Record<string, unknown>)[field], depth + 1))
    .filter((words) => words !== "")
    .join("\n");
}
