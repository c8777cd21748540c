/** An outbound message → its posts. Pure. */
import type { OutboundFile, OutboundMessage } from "../../message.js";
import { renderParts } from "./render.js";

/** Older servers take no more. */
const MAX_FILES_PER_POST = 5;

/** Text as rendered, or files by the paths of our copies. */
export type MattermostPart = { text: string } | { files: OutboundFile[] };

export function partsOf({ text, files = [] }: OutboundMessage): MattermostPart[] {
  const texts = renderParts(text).map((part) => ({ text: part }));
  const count = Math.ceil(files.length / MAX_FILES_PER_POST);
  const uploads = Array.from({ length: count }, (_, i) => ({
    files: files.slice(i * MAX_FILES_PER_POST, (i + 1) * MAX_FILES_PER_POST),
  }));
  return [...texts, ...uploads];
}
