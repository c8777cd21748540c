/** Files of a message: pictures are shown, everything else is a link that saves it. */
import { el } from "./dom.js";

const SHOWN = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Of the file with this number, of the message `out:34`. */
export function addressOf(messageId, index) {
  return `/api/chat/files/${messageId.replace("out:", "")}/${index}`;
}

export function attachment({ name, mimeType, bytes }, address) {
  const link = el("a", "attachment");
  link.href = address;
  if (SHOWN.includes(mimeType)) {
    const picture = el("img");
    picture.src = address;
    picture.alt = name;
    link.target = "_blank";
    link.rel = "noopener";
    link.append(picture);
  } else {
    link.download = name;
    link.append(name, el("span", "size", ` (${sizeOf(bytes)})`));
  }
  return link;
}

function sizeOf(bytes) {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
