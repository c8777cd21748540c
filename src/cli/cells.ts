import { stripVTControlCharacters } from "node:util";
import { cellWidth, cutToCells } from "../text/width.js";

export { cellWidth, cutToCells, padToCells } from "../text/width.js";

/** The longest prefix that fits, with an ellipsis if cut. */
export function shorten(text: string, cells: number): string {
  return cellWidth(text) <= cells ? text : `${cutToCells(text, cells - 1)}…`;
}

/** Stored text is untrusted: removes escape sequences and direction marks that could manipulate the terminal. */
export function plain(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, "\n")
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "");
}

export function oneLine(text: string): string {
  return plain(text).replace(/\s+/gu, " ").trim();
}
