/** Messages without text → a short description. Pure. */
import type { Message } from "grammy/types";

/** Undefined: a text, a file, or a kind that needs no answer. */
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

const MAX_DEPTH = 32;

/** The text of a rich message, including blocks of kinds unknown today. */
export function richText({ rich_message }: Message): string | undefined {
  if (!rich_message) return undefined;
  const text = rich_message.blocks
    .map((block) => textIn(block, 0))
    .join("\n")
    .trim();
  return text === "" ? undefined : text;
}

function textIn(node: unknown, depth: number): string {
  if (depth > MAX_DEPTH) return "";
  if (typeof node === "string") return node;
  if (Array.isArray(node)) return node.map((part) => textIn(part, depth + 1)).join("");
  if (typeof node !== "object" || node === null) return "";
  // Only fields that contain text or nested blocks; not types or addresses.
  return ["text", "caption", "title", "summary", "blocks", "items", "cells", "rows"]
    .map((field) => textIn((node as Record<string, unknown>)[field], depth + 1))
    .filter((text) => text !== "")
    .join("\n");
}
