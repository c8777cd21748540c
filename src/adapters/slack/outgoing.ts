/** Arguments of posts and edits: destination, text within Slack's limits, and the marker that identifies them later. */
import { SendError } from "../../errors.js";
import type { OutboundFile, OutboundMessage, Target } from "../../message.js";
import type { OutboundQuestion } from "../../question.js";
import { numberedList } from "../../text/choices.js";
import { previewEnd } from "../preview.js";
import { actionsOf } from "./buttons.js";
import { isTs } from "./ids.js";
import { render } from "./render.js";

export const MARKER_TYPE = "hermes_reply";
export const PREVIEW_TYPE = "hermes_preview";
const MAX_EDIT = 3900;
const MAX_SECTION = 2900;
/** Its blocks have less room than a text. */
const MAX_QUESTION = 10_000;

export interface Destination {
  channel: string;
  thread_ts?: string;
}

export function destinationOf(target: Target): Destination {
  if (target.chatId === null) throw new SendError("refused", "A Slack message needs a channel");
  return { channel: target.chatId, ...(isTs(target.threadId) ? { thread_ts: target.threadId } : {}) };
}

export function markerOf(nonce: string, part: number) {
  return { event_type: MARKER_TYPE, event_payload: { nonce, part } };
}

/** For a preview; the answer's marker replaces it. */
export function previewMarkerOf({ replyTo }: Target) {
  return { event_type: PREVIEW_TYPE, event_payload: { question: replyTo ?? "" } };
}

/** For an abandoned preview, so that nothing resumes it. */
export const ABANDONED = { event_type: "hermes_broken_off", event_payload: {} };

/** Text, for an edit also in sections if it is long; or all files of a message. */
export type SlackPart = TextPart | { files: readonly OutboundFile[] };

export interface TextPart {
  text: string;
  sections?: readonly string[];
  /** The block with the choices of a question. Its text is in sections. */
  actions?: object;
  /** The same text with the choices as a list, where blocks can't be sent. */
  listed?: string;
}

export function partsOf(message: OutboundMessage): SlackPart[] {
  const { text, files = [], question } = message;
  if (question) return questionParts(text, files, question);
  const texts = render(text).map((part, i): SlackPart => {
    // Only the first part may take the place of a preview.
    const isLongEdit = i === 0 && part.text.length > MAX_EDIT;
    return { text: part.text, ...(isLongEdit ? { sections: part.pieces(MAX_SECTION) } : {}) };
  });
  return files.length > 0 ? [...texts, { files }] : texts;
}

/** Buttons are below the last part, so the files of a question come before its text. */
function questionParts(
  text: string,
  files: readonly OutboundFile[],
  question: OutboundQuestion,
): SlackPart[] {
  const parts = render(text.trim() === "" ? "…" : text, { limit: MAX_QUESTION });
  const actions = actionsOf(question);
  const texts = parts.map((part, i): TextPart => {
    const isLast = i === parts.length - 1;
    const sections = isLast || i === 0 ? { sections: part.pieces(MAX_SECTION) } : {};
    if (!isLast || !actions) return { text: part.text, ...sections };
    const list = render(numberedList("", question.choices), { marker: false })[0]?.text ?? "";
    return { text: part.text, ...sections, actions, listed: `${part.text}\n\n${list}` };
  });
  return [...(files.length > 0 ? [{ files }] : []), ...texts];
}

/** A text that takes the place of a message: its end, if it is too long. */
export function lastPart(text: string): TextPart {
  const part = render(previewEnd(text)).at(-1);
  if (!part) return { text: "…" };
  return part.text.length > MAX_EDIT
    ? { text: part.text, sections: part.pieces(MAX_SECTION) }
    : { text: part.text };
}

/** Only a question needs blocks. */
export function postBody(part: TextPart): { text: string; blocks?: object[] } {
  return part.actions ? editBody(part) : { text: part.text };
}

/** `chat.update` allows less text than a post; longer text goes into blocks. */
export function editBody({ text, sections, actions }: TextPart): { text: string; blocks: object[] } {
  if (!sections) return { text, blocks: [] };
  const blocks: object[] = sections.map((section) => ({
    type: "section",
    expand: true,
    text: { type: "mrkdwn", text: section },
  }));
  if (actions) blocks.push(actions);
  // The text is shown in notifications only.
  return { text: sections[0]!, blocks };
}
