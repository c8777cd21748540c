/** Markdown → lines for a terminal. Readable without colours too. */
import type { Block } from "../../text/blocks.js";
import { layOut } from "../../text/layout.js";
import { parseMarkdown } from "../../text/markdown.js";
import { ansi, draw, type Paper } from "../wrap.js";

export function renderMarkdown(text: string, paper: Paper): string[] {
  return renderBlocks(parseMarkdown(text), paper);
}

export function renderBlocks(blocks: readonly Block[], paper: Paper): string[] {
  const dialect = ansi(paper);
  return draw(layOut(blocks, dialect), dialect, paper.width);
}
