#!/usr/bin/env node
import { Command } from "commander";
import { version } from "../version.js";
import { chatByFlag } from "./chat/flags.js";
import { exitDespiteReads, exitOnInterrupt, exitWhenReaderLeaves } from "./exits.js";
import { reportFailure } from "./failure.js";
import { explained } from "./files.js";

interface Entry {
  name: string;
  summary: string;
  load: () => Promise<Command>;
}

/** Every command of `hermes`. Only the one that is asked for is loaded, so that `--help` stays quick. */
const COMMANDS: readonly Entry[] = [
  {
    name: "gateway",
    summary: "Run the gateway in the foreground, or see how it is doing",
    load: async () => (await import("./gateway.js")).gatewayCommand(),
  },
  {
    name: "chat",
    summary: "Talk in the terminal; `hermes -c` goes on with the last conversation",
    load: async () => (await import("./chat/index.js")).chatCommand(),
  },
  {
    name: "sessions",
    summary: "List, read, search, export and tidy the stored conversations",
    load: async () => (await import("./sessions/index.js")).sessionsCommand(),
  },
  {
    name: "insights",
    summary: "Tokens, cost, tools and activity of the last days",
    load: async () => (await import("./insights.js")).insightsCommand(),
  },
  {
    name: "adopt",
    summary: "Take over a home that Hermes Agent has used; --check only says what would change",
    load: async () => (await import("./adopt/index.js")).adoptCommand(),
  },
  {
    name: "config",
    summary: "Check, show and locate the configuration",
    load: async () => (await import("./config.js")).configCommand(),
  },
  {
    name: "explain",
    summary: "Which key a message gets, when a session resets, who may talk, and why",
    load: async () => (await import("./explain.js")).explainCommand(),
  },
  {
    name: "trace",
    summary: "The timeline of one message: accepted, answered, delivered, or why not",
    load: async () => (await import("./trace.js")).traceCommand(),
  },
  {
    name: "cron",
    summary: "Ask the agent at set times, and send its answers to a chat",
    load: async () => (await import("./cron/index.js")).cronCommand(),
  },
  {
    name: "send",
    summary: "Say something in a chat, once and for certain",
    load: async () => (await import("./send.js")).sendCommand(),
  },
  {
    name: "hooks",
    summary: "Who is told what happens: list and try the hooks",
    load: async () => (await import("./hooks.js")).hooksCommand(),
  },
  {
    name: "pairing",
    summary: "Approve people who asked to talk to the bot",
    load: async () => (await import("./pairing.js")).pairingCommand(),
  },
  {
    name: "people",
    summary: "Who is known; export or erase everything that is kept of one person",
    load: async () => (await import("./people/index.js")).peopleCommand(),
  },
  {
    name: "setup",
    summary: "Set up a model and the chats, step by step",
    load: async () => (await import("./setup/index.js")).setupCommand(),
  },
  {
    name: "backup",
    summary: "Everything but the secrets in one file, while the gateway runs",
    load: async () => (await import("./backup.js")).backupCommand(),
  },
  {
    name: "restore",
    summary: "Prove a backup and put it in place",
    load: async () => (await import("./restore.js")).restoreCommand(),
  },
  {
    name: "doctor",
    summary: "Check everything that can go wrong, with the fix for each fault",
    load: async () => (await import("./doctor/index.js")).doctorCommand(),
  },
];

const EXAMPLES = `
Examples:
  hermes gateway                          start: web chat on http://127.0.0.1:8787
  hermes chat                             talk in this terminal
  hermes -c                               go on with the latest conversation, or with one by title
  hermes -r 20260305_091523_a1b2c3d4      go on with one by id or title, of whatever chat
  hermes sessions list                    the latest conversations
  hermes sessions search docker NOT swarm find what was said
  hermes sessions show "my project"       read one, by id, by the beginning of its id, or by title
  hermes insights --days 7                what the last week was like

The data lives in HERMES_HOME (default ~/.hermes). Every command takes --help.`;

function newProgram(): Command {
  return new Command("hermes")
    .description("One agent on every chat its people use: the gateway and its sessions.")
    .version(version(), "--version", "print the version")
    .option("--home <dir>", "where Hermes keeps its data (instead of HERMES_HOME)")
    .helpOption("-h, --help", "explain the command")
    .showHelpAfterError("(add --help to see how it is used)")
    .addHelpText("after", EXAMPLES)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .hook("preAction", useHomeOption);
}

/** From here on every command reads the environment, whichever way the home was named. */
function useHomeOption(program: Command): void {
  const { home } = program.opts<{ home?: string }>();
  if (home) process.env.HERMES_HOME = home;
}

/** Commands that were built elsewhere don't know how this program reports errors and help. */
function inherit(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent);
  for (const child of command.commands) inherit(child, command);
}

async function buildProgram(argv: readonly string[]): Promise<Command> {
  const program = newProgram();
  for (const { name, summary, load } of COMMANDS) {
    const command = argv.includes(name) ? await load() : new Command(name);
    program.addCommand(command.description(summary));
    inherit(command, program);
  }
  return program;
}

async function main(argv: string[]): Promise<void> {
  exitWhenReaderLeaves((error) => reportFailure(explained(error, "the output")));
  exitOnInterrupt();
  exitDespiteReads();
  try {
    const words = chatByFlag(argv.slice(2));
    const program = await buildProgram(words);
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    process.exitCode = reportFailure(error);
  }
}

await main(process.argv);
