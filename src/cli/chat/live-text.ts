import { sourceBlocks } from "../../text/markdown.js";
import { cellWidth, plain } from "../cells.js";
import type { Paper } from "../wrap.js";
import { renderBlocks } from "./markdown.js";

/** The terminal functions a live text needs. */
export interface Canvas {
  write(text: string): void;
  columns: number;
  rows: number;
}

const UP_AND_CLEAR = (rows: number) => (rows === 0 ? "" : `\u001b[${rows}A\r\u001b[J`);

/**
 * Shows Markdown as it grows. Complete blocks are printed once; the one that may still change is redrawn
 * below them.
 */
export class LiveText {
  readonly #canvas: Canvas;
  readonly #colors: Paper["colors"];
  /** How much of the text is final. */
  #done = 0;
  #text = "";
  /** The text to redraw. Its rows are counted at that time, because the window may have been resized. */
  #drawn: readonly string[] = [];
  #isFirst = true;

  constructor(canvas: Canvas, colors: Paper["colors"]) {
    this.#canvas = canvas;
    this.#colors = colors;
  }

  /** Shown until the answer starts. */
  wait(words: string): void {
    if (this.#text === "") this.#redraw([], [this.#colors.dim(words)]);
  }

  /** The whole text so far. */
  update(text: string): void {
    this.#text = plain(text);
    const sources = sourceBlocks(this.#text.slice(this.#done));
    // The following text decides where a block ends, so the last block is never complete.
    const open = sources.findLastIndex(({ raw }) => raw.trim() !== "");
    const closed = sources.slice(0, Math.max(0, open));
    const drawn = open < 0 ? [] : renderBlocks(sources[open]!.blocks, this.#paper);
    this.#redraw(
      closed.flatMap(({ blocks }) => this.#block(renderBlocks(blocks, this.#paper))),
      drawn,
    );
    this.#done += closed.reduce((sum, { raw }) => sum + raw.length, 0);
  }

  /** The final text. If it differs from what was shown, it is printed completely. */
  end(text = this.#text): void {
    const whole = plain(text).trimEnd();
    if (!whole.startsWith(this.#text.slice(0, this.#done).trimEnd())) {
      this.#done = 0;
      this.#isFirst = true;
    }
    const rest = sourceBlocks(whole.slice(this.#done));
    this.#redraw(
      rest.flatMap(({ blocks }) => this.#block(renderBlocks(blocks, this.#paper))),
      [],
    );
    this.#text = "";
    this.#done = 0;
    this.#isFirst = true;
  }

  get #paper(): Paper {
    return { width: Math.max(20, this.#canvas.columns - 1), colors: this.#colors };
  }

  #block(lines: readonly string[]): string[] {
    if (lines.length === 0) return [];
    const first = this.#isFirst;
    this.#isFirst = false;
    return first ? [...lines] : ["", ...lines];
  }

  #redraw(forGood: readonly string[], open: readonly string[]): void {
    const { rows } = this.#canvas;
    const gap = this.#isFirst || open.length === 0 ? [] : [""];
    const shown = this.#fitting([...gap, ...open], Math.max(1, rows - 2));
    const lines = [...forGood, ...shown].map((line) => `${line}\n`).join("");
    this.#canvas.write(UP_AND_CLEAR(this.#rowsOf(this.#drawn)) + lines);
    this.#drawn = shown;
  }

  /** The cursor can't move above the screen, so only the end of a long block is shown until it is complete. */
  #fitting(lines: readonly string[], most: number): string[] {
    const shown = [...lines];
    while (shown.length > 1 && this.#rowsOf(shown) > most) shown.shift();
    return this.#rowsOf(shown) > most ? [] : shown;
  }

  #rowsOf(lines: readonly string[]): number {
    const { columns } = this.#canvas;
    return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(cellWidth(plain(line)) / columns)), 0);
  }
}
