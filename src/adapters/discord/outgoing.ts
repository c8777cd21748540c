/** An outbound message → its posts. Pure. */
import type { OutboundFile, OutboundMessage } from "../../message.js";
import { type ButtonRow, buttonRowsOf } from "./components.js";
import { renderParts } from "./render.js";

const MAX_FILES_PER_MESSAGE = 10;
const MAX_BYTES_PER_MESSAGE = 20 * 1024 * 1024;

export interface TextPart {
  content: string;
  /** The choices of a question. */
  components?: readonly ButtonRow[];
}

/** A post with text, or with files. */
export type DiscordPart = TextPart | { files: readonly OutboundFile[] };

/** Buttons are below the last part, so the files of a question come before its text. */
export function partsOf({ text, files = [], question }: OutboundMessage): DiscordPart[] {
  const texts: TextPart[] = renderParts(text).map((content) => ({ content }));
  const uploads = inBatches(files).map((batch) => ({ files: batch }));
  if (!question) return [...texts, ...uploads];
  const last = texts.pop() ?? { content: "…" };
  return [...uploads, ...texts, { ...last, components: buttonRowsOf(question) }];
}

/** Within the limits of one message. */
function inBatches(files: readonly OutboundFile[]): OutboundFile[][] {
  const batches: OutboundFile[][] = [];
  let bytes = 0;
  for (const file of files) {
    const last = batches.at(-1);
    bytes += file.bytes;
    if (last && last.length < MAX_FILES_PER_MESSAGE && bytes <= MAX_BYTES_PER_MESSAGE) last.push(file);
    else {
      batches.push([file]);
      bytes = file.bytes;
    }
  }
  return batches;
}
