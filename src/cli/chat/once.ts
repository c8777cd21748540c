import type { TerminalView } from "../../adapters/cli/index.js";
import type { OutboundMessage } from "../../message.js";
import { plain } from "../cells.js";
import { io } from "../io.js";
import { colors, print, printError, printJson } from "../output.js";
import { renderMarkdown } from "./markdown.js";
import { questionText } from "./questions.js";
import { resumeHint } from "./resume-hint.js";
import { openTerminal, type TerminalOptions } from "./terminal.js";

const INTERRUPTED = 130;
const DEFAULT_COLUMNS = 80;

/** Asks one question. The answer goes to stdout, everything else to stderr. Returns the exit code. */
export async function askOnce(
  text: string,
  { find, json }: { find?: TerminalOptions["find"]; json?: boolean | undefined },
): Promise<number> {
  const shown: OutboundMessage[] = [];
  const view = json
    ? {
        preview: () => undefined,
        show: (one: OutboundMessage) => void shown.push(one),
        decide: () => undefined,
      }
    : answerOnly();
  const terminal = await openTerminal({ view, unattended: true, ...(find ? { find } : {}) });
  const { signals, exit } = io();
  let asked = false;
  const onSignal = () => {
    if (asked) exit(INTERRUPTED);
    asked = true;
    terminal.interrupt();
  };
  signals.on("SIGINT", onSignal);
  signals.on("SIGTERM", onSignal);
  try {
    const outcome = await terminal.say(text);
    const session = await terminal.session();
    if (json) printJson({ session_id: session?.id ?? null, outcome: outcome ?? null, ...told(shown) });
    else if (session) for (const line of resumeHint(session)) printError(colors.dim(line));
    if (asked) return INTERRUPTED;
    return outcome === undefined || outcome === "answered" || outcome === "silent" ? 0 : 1;
  } finally {
    await terminal.close();
    signals.off("SIGINT", onSignal);
    signals.off("SIGTERM", onSignal);
  }
}

/** What was shown, for programs. */
function told(shown: readonly OutboundMessage[]) {
  const texts = (notices: boolean) =>
    shown
      .filter((message) => isNotice(message) === notices)
      .map(questionText)
      .filter((text) => text !== "");
  return {
    answer: texts(false).join("\n\n") || null,
    files: shown.flatMap(({ files = [] }) => files.map(({ name, path }) => ({ name, path }))),
    notices: texts(true),
  };
}

/** A question isn't an answer, and no person can answer it here. */
function isNotice({ kind, question }: OutboundMessage): boolean {
  return kind === "notice" || question !== undefined;
}

/** Raw Markdown for programs, rendered for people. */
function answerOnly(): TerminalView {
  return {
    preview: () => undefined,
    decide: (_, text) => printError(plain(text)),
    show: (message: OutboundMessage) => {
      const { files = [] } = message;
      const all = [questionText(message), ...files.map(({ name, path }) => `[${name}: ${path}]`)].join(
        "\n\n",
      );
      if (isNotice(message)) return printError(plain(all));
      const { isTTY, columns } = io().stdout;
      print(
        isTTY
          ? renderMarkdown(plain(all), { width: (columns ?? DEFAULT_COLUMNS) - 1, colors }).join("\n")
          : plain(all),
      );
    },
  };
}
