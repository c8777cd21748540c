/** A message's text in the format of its platform → nodes. Only these tags are made, and nothing in a text can act. */
import { el } from "./dom.js";
import { markdown } from "./markdown.js";

const TAGS = new Set(["B", "STRONG", "I", "EM", "U", "S", "DEL", "CODE", "PRE", "BLOCKQUOTE"]);

const FORMATS = {
  plain: (text) => el("div", "body plain", text),
  html: (text) => {
    const { body } = new DOMParser().parseFromString(text, "text/html");
    return el("div", "body plain", ...[...body.childNodes].map(safe));
  },
  markdown: (text) => markdown(text),
  mrkdwn: (text) => markdown(fromMrkdwn(text)),
};

export function formatted({ text, format }) {
  return FORMATS[format](text);
}

/** What Telegram's HTML may contain; all else becomes its text. */
function safe(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  const children = [...node.childNodes].map(safe);
  return el(TAGS.has(node.nodeName) ? node.nodeName : "span", "", ...children);
}

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** Slack's marks: one star for bold, one tilde for strikethrough, links in angle brackets. */
function fromMrkdwn(text) {
  return text
    .replace(/<(https?:[^|>\s]{1,2000})\|([^>]{1,500})>/g, "[$2]($1)")
    .replace(/(^|[\s(])\*([^*\s][^*\n]{0,500})\*/g, "$1**$2**")
    .replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity]);
}
