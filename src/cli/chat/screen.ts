import type { TerminalView } from "../../adapters/cli/index.js";
import type { GatewayEvent } from "../../events.js";
import type { OutboundMessage } from "../../message.js";
import { oneLine, shorten } from "../cells.js";
import { colors } from "../output.js";
import { type Canvas, LiveText } from "./live-text.js";
import { OpenQuestions, questionText } from "./questions.js";

const DRAW_EVERY_MS = 40;
const THINKING = "…";

/** Shows answers as they are written, one line per tool call, and notices. */
export class ChatScreen implements TerminalView {
  /** Set while the user may be typing: output goes above the input line. */
  above: ((write: () => void) => void) | undefined;
  /** Called when a question was shown or decided. */
  onQuestion: () => void = () => undefined;
  readonly questions = new OpenQuestions();
  readonly #canvas: Canvas;
  readonly #text: LiveText;
  #turnId: string | undefined;
  #latest = "";
  /** How much of the turn's text was shown before its last tool call. */
  #told = 0;
  /** The text shown last. */
  #lastTold = "";
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(canvas: Canvas) {
    this.#canvas = canvas;
    this.#text = new LiveText(canvas, colors);
  }

  /** Keeps what was shown so far and stops redrawing, so that nothing overwrites other output. */
  close(): void {
    this.above = undefined;
    if (this.#turnId) this.#pause();
    this.#isClosed = true;
  }

  watch(event: GatewayEvent): void {
    if (this.above || this.#isClosed) return;
    if (event.type === "turn-started") this.#begin(event.turnId);
    if (event.type === "turn-step") this.#pause();
    if (event.type === "tool-started") this.#text.wait(`${oneLine(event.tool)} ${THINKING}`);
    if (event.type === "tool-ended") this.#toolEnded(event);
    if (event.type === "turn-ended" && event.outcome === "interrupted") this.#interrupted();
  }

  preview(turnId: string, text: string): void {
    if (this.above || this.#isClosed || turnId !== this.#turnId) return;
    this.#latest = text;
    this.#timer ??= setTimeout(() => this.#draw(), DRAW_EVERY_MS);
  }

  show(message: OutboundMessage): void {
    const { turnId, kind, files = [], question } = message;
    if (this.#isClosed) return;
    const all = [questionText(message), ...files.map(({ name, path }) => `[${name}: ${path}]`)].join("\n\n");
    if (this.above) this.above(() => this.#print(all));
    else if (kind === "answer" && turnId === this.#turnId && !question) this.#finish(all);
    else this.#print(all);
    if (!question) return;
    this.questions.add(message);
    this.onQuestion();
  }

  decide(messageId: string, text: string): void {
    if (this.#isClosed) return;
    const decision = this.questions.decided(messageId, text);
    if (this.above) this.above(() => this.#print(decision));
    else this.#print(decision);
    this.onQuestion();
  }

  /** One line of ours. */
  say(line: string): void {
    if (this.#isClosed) return;
    const write = () => this.#canvas.write(`${colors.dim(line)}\n`);
    if (this.above) this.above(write);
    else write();
  }

  #begin(turnId: string): void {
    this.#stopDrawing();
    this.#turnId = turnId;
    this.#latest = "";
    this.#told = 0;
    this.#lastTold = "";
    this.#text.wait(THINKING);
  }

  #draw(): void {
    this.#timer = undefined;
    this.#text.update(this.#latest.slice(this.#told));
  }

  #stopDrawing(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Keeps what was shown so far. */
  #pause(): void {
    this.#stopDrawing();
    const words = this.#latest.slice(this.#told);
    this.#text.end(words);
    if (words.trim() !== "") this.#lastTold = words;
    this.#told = this.#latest.length;
  }

  #finish(text: string): void {
    this.#stopDrawing();
    const isTold = this.#told === this.#latest.length && this.#lastTold.trim() === text.trim();
    this.#text.end(isTold ? "" : text);
    this.#canvas.write("\n");
    this.#turnId = undefined;
  }

  #print(text: string): void {
    if (this.#turnId) this.#pause();
    this.#text.end(text);
    this.#canvas.write("\n");
  }

  #interrupted(): void {
    this.#pause();
    this.#turnId = undefined;
    this.say("(interrupted)\n");
  }

  #toolEnded({ tool, args, ok, startedAt, at }: Extract<GatewayEvent, { type: "tool-ended" }>): void {
    this.#pause();
    const mark = ok ? colors.green("✓") : colors.red("✗");
    const asked = oneLine(JSON.stringify(args) ?? "");
    const seconds = `${Math.max(0, at - startedAt).toFixed(1)} s`;
    const line = shorten(`${tool} ${asked === "{}" ? "" : asked}`.trim(), this.#canvas.columns - 14);
    this.#canvas.write(`${mark} ${colors.dim(`${line} · ${seconds}`)}\n`);
    this.#text.wait(THINKING);
  }
}
