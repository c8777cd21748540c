import type { TerminalView } from "../../adapters/cli/index.js";
import type { OutboundMessage } from "../../message.js";
import { plain } from "../cells.js";
import { colors, print, printError } from "../output.js";
import { farewell } from "./farewell.js";
import { renderMarkdown } from "./markdown.js";
import { openTerminal, type TerminalOptions } from "./terminal.js";

const INTERRUPTED = 130;

/** One question, its answer on stdout and all else on stderr. Gives the exit code. */
export async function askOnce(text: string, find: TerminalOptions["find"]): Promise<number> {
  const terminal = await openTerminal({ view: answerOnly(), ...(find ? { find } : {}) });
  let asked = false;
  const onSignal = () => {
    if (asked) process.exit(INTERRUPTED);
    asked = true;
    terminal.interrupt();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  try {
    const outcome = await terminal.say(text);
    const session = await terminal.session();
    if (session) for (const line of farewell(session)) printError(colors.dim(line));
    if (asked) return INTERRUPTED;
    return outcome === undefined || outcome === "answered" || outcome === "silent" ? 0 : 1;
  } finally {
    await terminal.close();
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  }
}

/** Programs get the Markdown as it is, people get it drawn. */
function answerOnly(): TerminalView {
  return {
    preview: () => undefined,
    show: ({ kind, text, files = [] }: OutboundMessage) => {
      const all = [text, ...files.map(({ name, path }) => `[${name}: ${path}]`)].join("\n\n");
      if (kind === "notice") return printError(plain(all));
      const { isTTY, columns } = process.stdout;
      print(isTTY ? renderMarkdown(plain(all), { width: columns - 1, colors }).join("\n") : plain(all));
    },
  };
}
