import readline from "node:readline";
import { Writable } from "node:stream";
import { HISTORY_LINES } from "./history.js";

export interface LineInputOptions {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  prompt: string;
  /** The oldest first. */
  history: readonly string[];
  complete(line: string): Promise<[string[], string]>;
  onLine(line: string): void;
  /** A whole message, of one line or of several. */
  onMessage(text: string): void;
  /** Ctrl-C; `wasEmpty`: there was nothing to clear. */
  onInterrupt(wasEmpty: boolean): void;
  /** Ctrl-D, or the terminal is gone. */
  onEnd(): void;
}

const MORE = "… ";
const PASTE_MARKS = { on: "\u001b[?2004h", off: "\u001b[?2004l" };

/**
 * Terminal input → messages. A trailing backslash, Alt+Enter and pasted lines continue a message. Hidden
 * while an answer is shown, without losing what is typed.
 */
export class LineInput {
  readonly #options: LineInputOptions;
  readonly #lines: readline.Interface;
  readonly #screen: HidingScreen;
  #before: string[] = [];
  #pasting = false;
  #goesOn = false;

  constructor(options: LineInputOptions) {
    this.#options = options;
    const { input, output, prompt, history, complete } = options;
    this.#screen = new HidingScreen(output, () => this.#rewrapped());
    this.#lines = readline.createInterface({
      input,
      output: this.#screen,
      terminal: true,
      prompt,
      history: history.toReversed(),
      historySize: HISTORY_LINES,
      removeHistoryDuplicates: true,
      completer: (line: string, done: (error: Error | null, found: [string[], string]) => void) => {
        complete(line).then(
          (found) => done(null, found),
          () => done(null, [[], line]),
        );
      },
    });
    output.write(PASTE_MARKS.on);
    input.on("keypress", this.#keyPressed);
    this.#lines.on("line", (line) => this.#lineEntered(line));
    this.#lines.on("SIGINT", () => this.#interrupted());
    this.#lines.on("close", () => options.onEnd());
  }

  /** Shows the prompt with what has been typed so far. */
  show(): void {
    this.#screen.hidden = false;
    // The cursor is at the start of an empty row.
    (this.#lines as unknown as { prevRows: number }).prevRows = 0;
    this.#lines.setPrompt(this.#before.length > 0 ? MORE : this.#options.prompt);
    this.#lines.prompt(true);
  }

  hide(): void {
    this.#screen.hidden = true;
  }

  /** Writes above the line that is being typed. */
  above(write: () => void): void {
    const isShown = !this.#screen.hidden;
    if (isShown) this.#erase();
    write();
    if (isShown) this.show();
  }

  /** Hides the input line until it is shown again. */
  withdraw(): void {
    if (!this.#screen.hidden) this.#erase();
    this.hide();
  }

  #erase(): void {
    const { prevRows = 0 } = this.#lines as unknown as { prevRows?: number };
    this.#options.output.write(`${prevRows > 0 ? `\u001b[${prevRows}A` : ""}\r\u001b[J`);
  }

  close(): void {
    this.#options.input.off("keypress", this.#keyPressed);
    this.#options.output.write(PASTE_MARKS.off);
    this.#lines.close();
  }

  /** The terminal has already put what was typed into other rows: the line is drawn again from the first of them. */
  #rewrapped(): void {
    (this.#lines as unknown as { prevRows: number }).prevRows = this.#lines.getCursorPos().rows;
  }

  readonly #keyPressed = (_text: string | undefined, key: readline.Key | undefined) => {
    if (key?.name === "paste-start") this.#pasting = true;
    if (key?.name === "paste-end") this.#pasting = false;
    if (key?.meta && (key.name === "return" || key.name === "enter")) {
      this.#goesOn = true;
      this.#lines.write("", { name: "return" });
    }
  };

  #lineEntered(line: string): void {
    this.#options.onLine(line);
    const continued = /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
    if (this.#pasting || this.#goesOn || continued) {
      this.#before.push(continued && !this.#pasting && !this.#goesOn ? line.slice(0, -1) : line);
      this.#goesOn = false;
      this.#lines.setPrompt(MORE);
      this.#lines.prompt();
      return;
    }
    const text = [...this.#before, line].join("\n");
    this.#before = [];
    this.#lines.setPrompt(this.#options.prompt);
    this.#options.onMessage(text);
  }

  #interrupted(): void {
    const wasEmpty = this.#lines.line === "" && this.#before.length === 0;
    this.#before = [];
    // Moves to the end and clears, like a shell.
    this.#lines.write("", { ctrl: true, name: "e" });
    this.#lines.write("", { ctrl: true, name: "u" });
    this.#options.onInterrupt(wasEmpty);
  }
}

/** The output for readline, which keeps working while it is hidden. */
class HidingScreen extends Writable {
  hidden = true;
  readonly isTTY = true;
  readonly #output: NodeJS.WriteStream;

  constructor(output: NodeJS.WriteStream, onResize: () => void) {
    super({ decodeStrings: false });
    this.#output = output;
    output.on("resize", () => {
      onResize();
      this.emit("resize");
    });
  }

  get columns(): number {
    return this.#output.columns;
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (!this.hidden) this.#output.write(chunk);
    done();
  }
}
