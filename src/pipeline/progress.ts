import type { AgentEvent } from "../agents/backend.js";
import { startOf } from "../text-limits.js";
import type { Call } from "../tool-calls.js";

export type ToolProgress = "off" | "new" | "all" | "verbose";

export interface ProgressOptions {
  tools: ToolProgress;
  /** Silence after which the chat is shown that the turn is still running; 0 means never. */
  longRunningMs: number;
  /** The status changed and must be shown again. */
  changed(): void;
}

/** Most calls are shorter and not worth a message. */
const SHOWN_AFTER_MS = 1000;
const MAX_AGAIN_MS = 30_000;
const MAX_LINES = 8;
const MAX_ARGUMENT_CHARS = 80;

/** The status line below a turn's text: its tool calls, and that it is still running. */
export class Progress {
  readonly #options: ProgressOptions;
  readonly #startedMs = performance.now();
  #lastWordsMs = this.#startedMs;
  /** Calls without a result yet; the first one is running. */
  #open: Call[] = [];
  /** Calls since the last text. */
  #lines: { name: string; text: string; count: number }[] = [];
  #soon: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;

  constructor(options: ProgressOptions) {
    this.#options = options;
    const { longRunningMs, changed } = options;
    if (longRunningMs > 0) this.#again = setInterval(changed, Math.min(longRunningMs, MAX_AGAIN_MS));
  }

  /** `calls`: those that a message announces. */
  take(event: AgentEvent, calls: readonly Call[] = []): void {
    if (event.type === "text") this.#wrote();
    if (event.type === "progress") this.#stepped(event);
    if (event.type !== "message") return;
    const { message } = event;
    if (message.role === "tool") {
      this.#open = this.#open.filter(({ id }) => id !== message.tool_call_id);
      this.#begin();
      return;
    }
    if (message.role !== "assistant") return;
    this.#open = [...calls];
    this.#begin();
  }

  /** A step of an agent with its own tools. */
  #stepped({ callId: id, title, tool, state }: Extract<AgentEvent, { type: "progress" }>): void {
    this.#open = this.#open.filter((call) => call.id !== id);
    if (state === "started") this.#open.push({ id, name: title || tool, arguments: "{}" });
    this.#begin();
  }

  /** Empty if there is nothing to show but the text. */
  text(nowMs = performance.now()): string {
    const running = this.#open[0]?.name;
    const lines = this.#lines.map(({ text, count }) => `🔧 ${text}${count > 1 ? ` ×${count}` : ""}`);
    const { longRunningMs } = this.#options;
    const isLong = longRunningMs > 0 && nowMs - this.#lastWordsMs >= longRunningMs;
    if (isLong) {
      const tool = running === undefined ? "" : ` · \`${running}\``;
      lines.push(`⏳ still working · ${elapsed(nowMs - this.#startedMs)}${tool}`);
    } else if (running !== undefined && lines.length > 0) lines.push("…");
    return lines.join("\n");
  }

  end(): void {
    clearTimeout(this.#soon);
    clearInterval(this.#again);
  }

  #wrote(): void {
    this.#lastWordsMs = performance.now();
    this.#lines = [];
    clearTimeout(this.#soon);
    this.#soon = undefined;
  }

  #begin(): void {
    const [call] = this.#open;
    if (!call || this.#options.tools === "off") return;
    this.#add(call);
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#options.changed();
    }, SHOWN_AFTER_MS);
  }

  #add({ name, arguments: args }: Call): void {
    const { tools } = this.#options;
    const last = this.#lines.at(-1);
    if (tools === "new" && last?.name === name) {
      last.count += 1;
      return;
    }
    const text = tools === "verbose" ? `\`${name}\` ${shortened(args)}` : `\`${name}\``;
    this.#lines = [...this.#lines, { name, text: text.trim(), count: 1 }].slice(-MAX_LINES);
  }
}

/** One line, without backticks that would end the code span. */
function shortened(args: string): string {
  if (args === "{}" || args === "") return "";
  const line = startOf(args, MAX_ARGUMENT_CHARS * 2).replace(/[`\s]+/g, " ");
  const cut = startOf(line, MAX_ARGUMENT_CHARS);
  return `\`${cut}${cut.length < args.length && cut.length >= MAX_ARGUMENT_CHARS ? "…" : ""}\``;
}

function elapsed(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
}
