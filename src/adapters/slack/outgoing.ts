/** Arguments of posts and edits: destination, text within Slack's limits, and the marker that identifies them later. */
import { SendError } from "../../errors.js";
import type { OutboundFile, OutboundMessage, Target } from "../../message.js";
import { isTs } from "./ids.js";
import { render } from "./render.js";

export const MARKER_TYPE = "hermes_reply";
export const PREVIEW_TYPE = "hermes_preview";
const MAX_EDIT = 3900;
const MAX_SECTION = 2900;

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
}

export function partsOf({ text, files = [] }: OutboundMessage): SlackPart[] {
  const texts = render(text).map((part, i): SlackPart => {
    // Only the first part may take the place of a preview.
    const isLongEdit = i === 0 && part.text.length > MAX_EDIT;
    return { text: part.text, ...(isLongEdit ? { sections: part.pieces(MAX_SECTION) } : {}) };
  });
  return files.length > 0 ? [...texts, { files }] : texts;
}

/** `chat.update` allows less text than a post; longer text goes into blocks. */
export function editBody({ text, sections }: TextPart): { text: string; blocks: object[] } {
  if (!sections) return { text, blocks: [] };
  const blocks = sections.map((section) => ({
    type: "section",
    expand: true,
    text: { type: "mrkdwn", text: section },
  }));
  // The text is shown in notifications only.
  return { text: sections[0]!, blocks };
}
