/** A turn → the blocks of a prompt. Pure. */
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { field } from "../../field.js";
import type { ChatMessage } from "../../session.js";
import type { TurnRequest } from "../backend.js";
import { asText, CONTINUE, type Plan } from "../own-conversation.js";
import { isImage, textOf, withoutImages } from "../text.js";

const OWN_TOOLS =
  "People talk to you through a chat gateway. Tools that are named above but that you don't have don't exist here. " +
  "Questions go into your answer: there is no other way to ask.";

export function promptBlocks(
  { systemPrompt, history, input }: Pick<TurnRequest, "systemPrompt" | "history" | "input">,
  plan: Plan,
  takesImages: boolean,
): ContentBlock[] {
  if (plan.to === "continue") return [textBlock(CONTINUE)];
  const before = plan.to === "begin" ? history : plan.missed;
  const earlier = asText(before);
  const heading =
    plan.to === "begin" ? "The conversation so far" : "What was said here since your last answer";
  return [
    ...(plan.to === "begin"
      ? [textBlock(`<instructions>\n${[systemPrompt, OWN_TOOLS].join("\n\n").trim()}\n</instructions>`)]
      : []),
    ...(earlier === "" ? [] : [textBlock(`<context>\n${heading}:\n\n${earlier}\n</context>`)]),
    ...input.flatMap((message) => inputBlocks(message, takesImages)),
  ];
}

function inputBlocks({ content }: ChatMessage, takesImages: boolean): ContentBlock[] {
  const text = textOf(takesImages ? withoutImages(content) : content);
  const images = takesImages && Array.isArray(content) ? content.filter(isImage).flatMap(imageBlock) : [];
  return [...(text === "" ? [] : [textBlock(text)]), ...images];
}

const DATA_URL = /^data:(image\/[a-z0-9.+-]{1,40});base64,/i;

function imageBlock(part: unknown): ContentBlock[] {
  const url = String(field(field(part, "image_url"), "url"));
  const found = DATA_URL.exec(url.slice(0, 80));
  return found ? [{ type: "image", mimeType: found[1]!, data: url.slice(found[0].length) }] : [];
}

function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}
