import { text as readAll } from "node:stream/consumers";
import { Command } from "commander";
import { HermesError } from "../../errors.js";
import { Misuse } from "../failure.js";
import { io, tty } from "../io.js";
import { jsonOption } from "../options.js";
import { printError } from "../output.js";
import type { TerminalOptions } from "./terminal.js";

interface ChatOptions {
  query?: string;
  continue?: string | true;
  resume?: string;
  json?: boolean;
}

export function chatCommand(): Command {
  return new Command("chat")
    .option("-q, --query <text>", "ask once, print the answer and exit")
    .option("-c, --continue [title]", "continue the latest terminal conversation, or one by title")
    .option("-r, --resume <session>", "continue any conversation, by id, id prefix or title")
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action(chat);
}

const HELP = `
Enter sends; a backslash at the end of a line, Alt+Enter and pasted text make several lines. Tab completes commands and
titles. Ctrl-C interrupts an answer, a second Ctrl-C quits. Piped input is asked once, like -q. A gateway may be running.

  hermes chat -q "What is new?" --json    {session_id, outcome, answer, files, notices}`;

async function chat(options: ChatOptions): Promise<void> {
  const find = await finder(options);
  const terminal = tty();
  if (options.query === undefined && terminal && !options.json) {
    const { chatInteractively } = await import("./interactive.js");
    return chatInteractively(terminal, find);
  }
  const text = options.query ?? (await fromStdin());
  if (text.trim() === "")
    throw new HermesError("invalid", "The question is empty.", {
      hint: 'Ask with `hermes chat -q "…"`, through a pipe, or in a terminal.',
    });
  const { askOnce } = await import("./once.js");
  io().exitCode = await askOnce(text.replace(/\r?\n$/, ""), { find, json: options.json });
}

/** `hermes chat | tee answer.md` reads from the keyboard: prompt for it. */
function fromStdin(): Promise<string> {
  if (io().stdin.isTTY) printError("Type the question, then press Ctrl-D.");
  return readAll(io().stdin);
}

async function finder(options: ChatOptions): Promise<TerminalOptions["find"]> {
  const { continue: title, resume } = options;
  if (title !== undefined && resume !== undefined)
    throw new Misuse("-c and -r can't be combined.", "Use one of them.");
  const reference = resume ?? title;
  if (reference === undefined) return undefined;
  const { findEarlier } = await import("./resume.js");
  return (store) => findEarlier(store, reference);
}
