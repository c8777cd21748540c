/** Collects runs; keeps the distance between blocks and the indentation of lists. */
import { commonDepth, type Run, type Tag } from "./runs.js";

export class Writer {
  readonly runs: Run[] = [];
  #newlines = 0;
  #indent = "";

  get isIndented(): boolean {
    return this.#indent !== "";
  }

  /** At least so many line breaks before what comes next, if anything does. */
  gap(newlines: number): void {
    // In a list, an item's bullet stands there already: the first block follows it.
    if (this.runs.length > 0 && !this.#afterBullet) this.#newlines = Math.max(this.#newlines, newlines);
  }

  gapExactly(newlines: number): void {
    this.#afterBullet = false;
    this.#newlines = newlines;
  }

  #afterBullet = false;

  indented(indent: string, write: () => void): void {
    const before = this.#indent;
    this.#indent += indent;
    this.#afterBullet = true;
    write();
    this.#afterBullet = false;
    this.#indent = before;
  }

  sayAll(runs: readonly Run[]): void {
    for (const { text, tags } of runs) this.say(text, tags);
  }

  say(text: string, tags: readonly Tag[]): void {
    this.sayAsIs(text.replaceAll("\n", `\n${this.#indent}`), tags, this.#indent);
  }

  /** Code: its lines stay as they are. */
  sayAsIs(text: string, tags: readonly Tag[], indent = ""): void {
    if (text === "") return;
    if (this.#newlines > 0 && this.runs.length > 0) {
      const last = this.runs.at(-1)!.tags;
      const shared = tags.slice(0, commonDepth(last, tags));
      this.runs.push({ text: "\n".repeat(this.#newlines) + indent, tags: shared });
    }
    this.#newlines = 0;
    this.#afterBullet = false;
    this.runs.push({ text, tags });
  }
}
