import { Command } from "commander";
import { version } from "../version.js";
import { chatByFlag } from "./chat/flags.js";
import { reportFailure } from "./failure.js";
import { DEFAULT_COLUMNS, fittedParagraphs, terminalColumns } from "./fit.js";
import { type Io, io, type Output, withIo } from "./io.js";

interface Entry {
  name: string;
  summary: string;
  load: () => Promise<Command>;
}

/** Every command of `hermes`, as `--help` groups them. Only the requested one is loaded, so `--help` stays fast. */
const GROUPS: Readonly<Record<string, readonly Entry[]>> = {
  Run: [
    {
      name: "gateway",
      summary: "Run the gateway, stop it, show its status and log, install it as a service",
      load: async () => (await import("./gateway.js")).gatewayCommand(),
    },
    {
      name: "dashboard",
      summary: "Print the dashboard's address, with a link that signs you in",
      load: async () => (await import("./dashboard.js")).dashboardCommand(),
    },
    {
      name: "doctor",
      summary: "Check the installation and suggest fixes",
      load: async () => (await import("./doctor/index.js")).doctorCommand(),
    },
  ],
  Talk: [
    {
      name: "chat",
      summary: "Chat in the terminal; `hermes -c` resumes the last conversation",
      load: async () => (await import("./chat/index.js")).chatCommand(),
    },
    {
      name: "send",
      summary: "Send a message to a chat, exactly once",
      load: async () => (await import("./send.js")).sendCommand(),
    },
    {
      name: "cron",
      summary: "Schedule prompts and send the answers to a chat",
      load: async () => (await import("./cron/index.js")).cronCommand(),
    },
    {
      name: "acp",
      summary: "Serve an editor that speaks the Agent Client Protocol",
      load: async () => (await import("./acp/index.js")).acpCommand(),
    },
  ],
  Look: [
    {
      name: "sessions",
      summary: "List, read, search, export and clean up stored conversations",
      load: async () => (await import("./sessions/index.js")).sessionsCommand(),
    },
    {
      name: "insights",
      summary: "Show tokens, cost, tools and activity of the last days",
      load: async () => (await import("./insights.js")).insightsCommand(),
    },
    {
      name: "trace",
      summary: "Show the timeline of one message: accepted, answered, delivered, or why not",
      load: async () => (await import("./trace.js")).traceCommand(),
    },
    {
      name: "audit",
      summary: "List which tools were used, by whom and where, and who approved it",
      load: async () => (await import("./audit.js")).auditCommand(),
    },
    {
      name: "explain",
      summary: "Explain session keys, resets and access decisions",
      load: async () => (await import("./explain/index.js")).explainCommand(),
    },
  ],
  People: [
    {
      name: "pairing",
      summary: "Approve people who asked to talk to the bot",
      load: async () => (await import("./pairing.js")).pairingCommand(),
    },
    {
      name: "people",
      summary: "List people; export or erase the data of one person",
      load: async () => (await import("./people/index.js")).peopleCommand(),
    },
    {
      name: "web",
      summary: "Sign in to the web chat: links, passwords, and who is signed in",
      load: async () => (await import("./web.js")).webCommand(),
    },
  ],
  "Set up": [
    {
      name: "setup",
      summary: "Set up a model and platforms, step by step",
      load: async () => (await import("./setup/index.js")).setupCommand(),
    },
    {
      name: "config",
      summary: "Check, show and change the configuration",
      load: async () => (await import("./config.js")).configCommand(),
    },
    {
      name: "models",
      summary: "List the models that the configured service has",
      load: async () => (await import("./models.js")).modelsCommand(),
    },
    {
      name: "mcp",
      summary: "List, try, add and remove MCP servers; serve the chats to other programs",
      load: async () => (await import("./mcp/index.js")).mcpCommand(),
    },
    {
      name: "hooks",
      summary: "List hooks and try them",
      load: async () => (await import("./hooks.js")).hooksCommand(),
    },
    {
      name: "plugins",
      summary: "List the platforms installed in the home, and why one isn't loaded",
      load: async () => (await import("./plugins.js")).pluginsCommand(),
    },
  ],
  Data: [
    {
      name: "backup",
      summary: "Write everything except secrets into one file, while the gateway runs",
      load: async () => (await import("./backup.js")).backupCommand(),
    },
    {
      name: "restore",
      summary: "Verify a backup and restore it",
      load: async () => (await import("./restore.js")).restoreCommand(),
    },
    {
      name: "adopt",
      summary: "Take over a home that Hermes Agent has used; --check only shows the changes",
      load: async () => (await import("./adopt/index.js")).adoptCommand(),
    },
  ],
  Help: [
    {
      name: "completion",
      summary: "Print the completion script for bash, zsh or fish",
      load: async () => (await import("./completion.js")).completionCommand(wholeProgram),
    },
    {
      name: "version",
      summary: "Print the versions that a bug report needs",
      load: async () => (await import("./version.js")).versionCommand(),
    },
  ],
};

const EXAMPLES = `
Examples:
  hermes gateway                          start: web chat on http://127.0.0.1:8787
  hermes chat                             talk in this terminal
  hermes -c                               resume the latest conversation, or one by title
  hermes -r 20260305_091523_a1b2c3d4      resume any conversation by id or title
  hermes sessions list                    the latest conversations
  hermes sessions search docker NOT swarm search messages
  hermes sessions show "my project"       read one by id, id prefix or title
  hermes insights --days 7                usage of the last week

The data lives in HERMES_HOME (default ~/.hermes). Every command takes --help.`;

function newProgram(): Command {
  return new Command("hermes")
    .description("One agent on every chat its people use: the gateway and its sessions.")
    .version(version(), "--version", "print the version")
    .option("--home <dir>", "data directory (default: HERMES_HOME)")
    .helpOption("-h, --help", "explain the command")
    .showHelpAfterError("(add --help for usage)")
    .addHelpText("after", EXAMPLES)
    .configureHelp({ showGlobalOptions: true })
    .commandsGroup("Help:")
    .helpCommand("help [command]", "Explain a command")
    .configureOutput({
      writeOut: (text) => io().stdout.write(fittedParagraphs(text)),
      writeErr: (text) => io().stderr.write(text),
      getOutHelpWidth: () => widthOf(io().stdout),
      getErrHelpWidth: () => widthOf(io().stderr),
    })
    .exitOverride()
    .hook("preAction", useHomeOption);
}

function widthOf(output: Output): number {
  return terminalColumns(output) ?? DEFAULT_COLUMNS;
}

/** Commands read the home from the environment only. */
function useHomeOption(program: Command): void {
  const { home } = program.opts<{ home?: string }>();
  if (home) io().env.HERMES_HOME = home;
}

/** With every command loaded, to list what there is. */
export async function wholeProgram(): Promise<Command> {
  return buildProgram(Object.values(GROUPS).flatMap((entries) => entries.map(({ name }) => name)));
}

/** Loaded commands take over how this program prints errors and help. */
function inherit(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent);
  // What isn't one of its commands isn't an argument either: a command with both says so itself.
  if (command.commands.length > 0) command.allowExcessArguments();
  for (const child of command.commands) inherit(child, command);
}

async function buildProgram(argv: readonly string[]): Promise<Command> {
  const program = newProgram();
  for (const [group, entries] of Object.entries(GROUPS))
    for (const { name, summary, load } of entries) {
      const command = argv.includes(name) ? await load() : new Command(name);
      program.addCommand(command.description(summary).helpGroup(`${group}:`));
      inherit(command, program);
    }
  return program;
}

/**
 * Runs `hermes` with these arguments and returns its exit code. Everything it reads and prints goes through `given`; left
 * out, through the process.
 */
export async function run(argv: readonly string[], given?: Omit<Io, "exitCode">): Promise<number> {
  return withIo(given && { ...given, env: { ...given.env }, exitCode: 0 }, async () => {
    try {
      const words = chatByFlag(argv);
      const program = await buildProgram(words);
      await program.parseAsync(words, { from: "user" });
      return io().exitCode;
    } catch (error) {
      return reportFailure(error);
    }
  });
}
