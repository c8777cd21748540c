/** An outbound message → its posts. Pure. */
import type { OutboundFile, OutboundMessage } from "../../message.js";
import type { Button } from "../kit/buttons.js";
import { choicesOf } from "./buttons.js";
import { renderParts } from "./render.js";

/** Older servers take no more. */
const MAX_FILES_PER_POST = 5;
/** A post needs a text. */
const NO_TEXT = "?";

/** Text as rendered, or files by the paths of our copies. The last one has the buttons. */
export type MattermostPart = ({ text: string } | { files: OutboundFile[] }) & { buttons?: Button[] };

export function partsOf({ text, files = [], question }: OutboundMessage): MattermostPart[] {
  const texts = renderParts(text).map((part) => ({ text: part }));
  const count = Math.ceil(files.length / MAX_FILES_PER_POST);
  const uploads = Array.from({ length: count }, (_, i) => ({
    files: files.slice(i * MAX_FILES_PER_POST, (i + 1) * MAX_FILES_PER_POST),
  }));
  const parts: MattermostPart[] = [...texts, ...uploads];
  if (!question) return parts;
  const [last = { text: NO_TEXT }] = parts.slice(-1);
  return [...parts.slice(0, -1), { ...last, buttons: choicesOf(question) }];
}
