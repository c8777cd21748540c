import { commands } from "../../commands/index.js";
import { homePaths, resolveHome } from "../../config/paths.js";
import { describeError } from "../../errors.js";
import type { SessionRow } from "../../session.js";
import { oneLine } from "../cells.js";
import { io, type Tty } from "../io.js";
import { counted } from "../numbers.js";
import { colors, print, printError } from "../output.js";
import { complete, LEAVE } from "./complete.js";
import { InputHistory } from "./history.js";
import { LineInput } from "./line-input.js";
import type { Picked } from "./questions.js";
import { drawRecap, recapOf } from "./recap.js";
import { resumeHint } from "./resume-hint.js";
import { ChatScreen } from "./screen.js";
import { openTerminal, type Terminal, type TerminalOptions } from "./terminal.js";

const TITLES = 200;
const LEAVES = "(press Ctrl-C again to exit)";
/** Lines queued behind a running turn. */
const MAX_AHEAD = 100;

export async function chatInteractively(tty: Tty, find: TerminalOptions["find"]): Promise<void> {
  const screen = new ChatScreen(tty.output);
  const terminal = await openTerminal({ view: screen, ...(find ? { find } : {}) });
  try {
    terminal.events.watch("screen", (event) => screen.watch(event));
    await welcome(terminal, tty.output.columns);
    const history = new InputHistory(homePaths(resolveHome(io().env)).chatHistory);
    await new Conversation({ terminal, screen, history, tty }, await history.load()).run();
    const session = await terminal.session();
    if (session) for (const line of resumeHint(session)) print(colors.dim(line));
  } finally {
    await terminal.close();
  }
}

async function welcome(terminal: Terminal, columns: number): Promise<void> {
  const session = await terminal.session();
  if (session) await showPast(terminal, session, columns);
  const { provider, default: model } = terminal.config.model;
  const agent = provider === "echo" ? "no model yet: `hermes setup`" : (model ?? provider);
  print(colors.dim(`Hermes · ${agent} · /help for commands, Ctrl-D or /exit to quit`));
  print();
}

async function showPast({ store, config }: Terminal, session: SessionRow, columns: number): Promise<void> {
  const { display } = config;
  const title = session.title ? ` "${oneLine(session.title)}"` : "";
  print(colors.dim(`Resumed ${session.id}${title}, ${counted(session.message_count, "message")}.`));
  if (display.resume_display === "minimal") return;
  const recap = recapOf(await store.getMessages(session.id), {
    exchanges: display.resume_exchanges,
    userChars: display.resume_max_user_chars,
    assistantChars: display.resume_max_assistant_chars,
    assistantLines: display.resume_max_assistant_lines,
  });
  if (recap.entries.length === 0) return;
  for (const line of drawRecap(recap, { width: columns, colors })) print(line);
}

interface ConversationParts {
  terminal: Terminal;
  screen: ChatScreen;
  history: InputHistory;
  tty: Tty;
}

/** Lines in, answers out, until the user leaves. */
export class Conversation {
  readonly #terminal: Terminal;
  readonly #screen: ChatScreen;
  readonly #input: LineInput;
  readonly #history: InputHistory;
  readonly #ahead: string[] = [];
  #running = 0;
  /** The last input was Ctrl-C; the next one exits. */
  #mayLeave = false;
  #hasLeft = false;
  /** Queued messages that were dropped with an interrupted turn. */
  #dropped = 0;
  #leave: () => void = () => undefined;

  constructor({ terminal, screen, history, tty }: ConversationParts, earlier: readonly string[]) {
    this.#terminal = terminal;
    this.#screen = screen;
    this.#history = history;
    screen.onQuestion = () => this.#questionChanged();
    const { store } = terminal;
    const names = commands.flatMap(({ name, group }) => (group ? [name] : []));
    const titles = async () => {
      const sessions = await store.listSessions({ order: "active", limit: TITLES });
      return sessions.flatMap(({ title }) => title ?? []);
    };
    this.#input = new LineInput({
      ...tty,
      prompt: `${colors.yellow("❯")} `,
      history: earlier,
      complete: (line) => complete(line, { commands: names, titles }),
      onLine: (line) => this.#remember(line),
      onMessage: (text) => this.#take(text),
      onInterrupt: (wasEmpty) => this.#interrupt(wasEmpty),
      onEnd: () => this.#leave(),
    });
  }

  async run(): Promise<void> {
    const left = new Promise<void>((resolve) => {
      this.#leave = resolve;
    });
    for (const signal of ["SIGTERM", "SIGHUP"] as const) io().signals.once(signal, this.#leave);
    this.#ask();
    await left;
    this.#hasLeft = true;
    this.#input.close();
    this.#screen.close();
    this.#terminal.interrupt();
    print();
  }

  #take(text: string): void {
    this.#mayLeave = false;
    const said = text.trim();
    const isCommand = said.startsWith("/");
    const { questions } = this.#screen;
    const picked = isCommand ? undefined : questions.pick(said);
    if (LEAVE.some((name) => said === `/${name}`)) this.#leave();
    else if (picked) void this.#choose(picked);
    // Other text may answer it too; the gateway decides.
    else if (questions.isOpen && said !== "") void this.#say(text);
    else if (this.#running > 0 && !isCommand) {
      if (this.#ahead.length < MAX_AHEAD) this.#ahead.push(text);
      else this.#screen.say("Too many messages are queued: this one was not sent.");
    } else if (said === "") this.#ask();
    else void this.#say(text);
  }

  async #say(text: string): Promise<void> {
    this.#running++;
    if (this.#screen.questions.isOpen) this.#ask();
    else this.#hide();
    try {
      await this.#terminal.say(text);
    } catch (error) {
      if (this.#hasLeft) return;
      this.#failed(error);
    } finally {
      this.#running--;
    }
    if (this.#running > 0 || this.#hasLeft) return;
    if (this.#dropped > 0) this.#screen.say(`(not sent: ${counted(this.#dropped, "message")} that waited)\n`);
    this.#dropped = 0;
    const next = this.#ahead.shift();
    if (next === undefined) this.#ask();
    else {
      print(colors.dim(`❯ ${oneLine(next)}`));
      await this.#say(next);
    }
  }

  async #choose(picked: Picked): Promise<void> {
    if (this.#running > 0) this.#hide();
    try {
      await this.#terminal.choose(picked);
      this.#screen.questions.answered(picked);
    } catch (error) {
      this.#failed(error);
    }
    if (!this.#hasLeft && (this.#running === 0 || this.#screen.questions.isOpen)) this.#ask();
  }

  /** A turn that waits for an answer lets the user type. */
  #questionChanged(): void {
    if (this.#running === 0 || this.#hasLeft) return;
    if (this.#screen.questions.isOpen) this.#ask();
    else this.#hide();
  }

  #failed(error: unknown): void {
    const { message, hint } = describeError(error);
    printError(`error: ${message}${hint ? `\n${hint}` : ""}`);
  }

  #hide(): void {
    this.#screen.above = undefined;
    this.#input.withdraw();
  }

  #ask(): void {
    this.#input.show();
    this.#screen.above = (write) => this.#input.above(write);
  }

  #interrupt(wasEmpty: boolean): void {
    // Clears a half-typed line first, like a shell.
    if (this.#mayLeave && (wasEmpty || this.#running > 0)) this.#leave();
    else if (this.#running > 0) this.#interruptTurn();
    else {
      this.#mayLeave = wasEmpty;
      print();
      if (wasEmpty) print(colors.dim(LEAVES));
      this.#ask();
    }
  }

  #interruptTurn(): void {
    this.#dropped += this.#ahead.splice(0).length;
    this.#mayLeave = true;
    if (!this.#terminal.interrupt()) this.#screen.say(LEAVES);
  }

  #remember(line: string): void {
    this.#history
      .add(line)
      .catch((error: unknown) =>
        this.#screen.say(`Could not save the input history: ${describeError(error).message}`),
      );
  }
}
