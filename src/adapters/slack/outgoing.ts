/** What is posted: the text within Slack's several limits, and the mark by which it is found again. */
import { SendError } from "../../errors.js";
import type { Target } from "../../message.js";
import { isTs } from "./ids.js";
import type { Part } from "./split.js";

export const MARKER_TYPE = "hermes_reply";
export const PREVIEW_TYPE = "hermes_preview";
const LONGEST_EDIT = 3900;
const LONGEST_SECTION = 2900;

export interface Place {
  channel: string;
  thread_ts?: string;
}

export function placeOf(target: Target): Place {
  if (target.chatId === null) throw new SendError("refused", "A Slack message needs a conversation to go to");
  return { channel: target.chatId, ...(isTs(target.threadId) ? { thread_ts: target.threadId } : {}) };
}

export function markerOf(nonce: string, part: number) {
  return { event_type: MARKER_TYPE, event_payload: { nonce, part } };
}

/** Of an answer that is being written; the mark of the answer takes its place. */
export function previewMarkerOf({ replyTo }: Target) {
  return { event_type: PREVIEW_TYPE, event_payload: { question: replyTo ?? "" } };
}

/** Of one that was broken off: nobody looks for it any more. */
export const BROKEN_OFF = { event_type: "hermes_broken_off", event_payload: {} };

/** For `chat.update`: it takes less text than a post does, beyond that the text must stand in blocks. */
export function editBody(part: Part): { text: string; blocks: object[] } {
  if (part.text.length <= LONGEST_EDIT) return { text: part.text, blocks: [] };
  const pieces = part.pieces(LONGEST_SECTION);
  const blocks = pieces.map((text) => ({ type: "section", expand: true, text: { type: "mrkdwn", text } }));
  // Shown where blocks can't be: in notifications.
  return { text: pieces[0]!, blocks };
}
