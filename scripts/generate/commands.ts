/** `docs/reference/commands.md`: every command of `hermes` and every slash command, from the program itself. */
import type { Argument, Command, Help, Option } from "commander";
import { wholeProgram } from "../../src/cli/run.js";
import type { Command as SlashCommand } from "../../src/commands/command.js";
import { commands as slashCommands } from "../../src/commands/index.js";
import { cellText, codeText } from "./cell.js";

const HEAD = `# Command reference

Every command takes \`--help\` and \`--home DIR\` (the home, instead of \`HERMES_HOME\`). \`hermes completion bash\` prints the
completion for your shell.

<!-- Written by \`npm run generate\` from src/cli and src/commands. -->
`;

/** Every command has them. */
const COMMON = new Set(["--help", "--home", "--version"]);

export async function commandsText(): Promise<string> {
  const program = await wholeProgram();
  const sections = childrenOf(program).map((command) => commandText(command, ["hermes"], 2));
  return [HEAD, ...sections, slashText(), ""].join("\n");
}

function commandText(command: Command, above: readonly string[], depth: number): string {
  const path = [...above, command.name()];
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => !COMMON.has(long ?? ""));
  const children = childrenOf(command);
  // A command that only groups others has nothing to call.
  const call = [...path, ...command.registeredArguments.map(argument)];
  const lines = [
    `${"#".repeat(depth)} ${path.join(" ")}\n`,
    `${sentence(command.description())}\n`,
    ...(children.length === 0 || options.length > 0
      ? [`\`\`\`\n${call.join(" ")}${options.length > 0 ? " [options]" : ""}\n\`\`\`\n`]
      : []),
    ...(options.length > 0 ? [`${optionsTable(options, help)}\n`] : []),
    ...children.map((child) => commandText(child, path, depth + 1)),
  ];
  return lines.join("\n");
}

function childrenOf(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== "help");
}

function argument(given: Argument): string {
  const text = given.variadic ? `${given.name()}...` : given.name();
  return given.required ? `<${text}>` : `[${text}]`;
}

function optionsTable(options: readonly Option[], help: Help): string {
  const rows = options.map((option) => {
    const about = cellText(help.optionDescription(option));
    return `| \`${codeText(option.flags)}\` | ${about} |`;
  });
  return ["| option | meaning |", "| --- | --- |", ...rows].join("\n");
}

function slashText(): string {
  const rows = slashCommands.map((command) => {
    const names = [command.name, ...(command.aliases ?? [])].map((name) => `\`/${name}\``).join(", ");
    return `| ${names} | ${usageOf(command)} | ${cellText(command.description)} |`;
  });
  return `## Slash commands

In a chat, a message that begins with \`/\` is a command. Most work while an answer is being written.

${["| command | arguments | meaning |", "| --- | --- | --- |", ...rows].join("\n").replaceAll("|  |", "| |")}`;
}

function usageOf({ usage }: SlashCommand): string {
  return usage ? `\`${codeText(usage)}\`` : "";
}

function sentence(text: string): string {
  return `${cellText(text)}.`;
}
