/** `hermes completion bash|zsh|fish`: prints a completion script generated from the commands themselves. */
import { Argument, Command } from "commander";
import { print } from "./output.js";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

export function completionCommand(program: () => Promise<Command>): Command {
  return new Command("completion")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .addHelpText("after", HELP)
    .action(async (shell: Shell) => print(SCRIPTS[shell](nodesOf(await program()))));
}

const HELP = `
Load it in every shell that you open:
  bash  echo 'eval "$(hermes completion bash)"' >> ~/.bashrc
  zsh   echo 'eval "$(hermes completion zsh)"' >> ~/.zshrc
  fish  hermes completion fish > ~/.config/fish/completions/hermes.fish`;

interface Word {
  text: string;
  about: string;
}

/** A command with what can follow it. */
interface Node {
  /** Without `hermes`. */
  path: readonly string[];
  commands: readonly Word[];
  options: readonly Word[];
}

function nodesOf(command: Command, path: readonly string[] = []): Node[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command).filter((child) => child.name() !== "help");
  const commands = children.map((child) => ({ text: child.name(), about: firstLine(child.description()) }));
  const options = help
    .visibleOptions(command)
    .flatMap(({ long, description }) => (long ? [{ text: long, about: firstLine(description) }] : []));
  return [
    { path, commands, options },
    ...children.flatMap((child) => nodesOf(child, [...path, child.name()])),
  ];
}

const firstLine = (text: string) => text.split("\n")[0]!;

/** Every command, as the patterns of a `case`. */
function stepsOf(nodes: readonly Node[]): string {
  const paths = nodes.filter(({ path }) => path.length > 0).map(({ path }) => `"${path.join(" ")}"`);
  return paths.join(" | ");
}

function bash(nodes: readonly Node[]): string {
  const cases = nodes.map(({ path, commands, options }) => {
    const words = [...commands, ...options].map(({ text }) => text);
    return `    "${path.join(" ")}") words="${words.join(" ")}" ;;`;
  });
  return `_hermes() {
  local word at="" next words="" cur="\${COMP_WORDS[COMP_CWORD]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${at:+$at }$word"
    case "$next" in
      ${stepsOf(nodes)}) at="$next" ;;
    esac
  done
  case "$at" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _hermes hermes`;
}

/** With the descriptions, which zsh shows beside the words. */
function zsh(nodes: readonly Node[]): string {
  const cases = nodes.map(({ path, commands, options }) => {
    const words = [...commands, ...options].map(({ text, about }) => shellQuoted(`${text}:${about}`));
    return `    "${path.join(" ")}") found=(${words.join(" ")}) ;;`;
  });
  return `_hermes() {
  local word at="" next
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${at:+$at }$word"
    case "$next" in
      ${stepsOf(nodes)}) at="$next" ;;
    esac
  done
  case "$at" in
${cases.join("\n")}
  esac
  _describe hermes found || _files
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _hermes hermes`;
}

function fish(nodes: readonly Node[]): string {
  const lines = nodes.flatMap((node) => {
    const when = `-n ${quoted(conditionOf(node))}`;
    return [
      ...node.commands.map(
        ({ text, about }) => `complete -c hermes ${when} -f -a ${text} -d ${quoted(about)}`,
      ),
      ...node.options.map(
        ({ text, about }) => `complete -c hermes ${when} -l ${text.slice(2)} -d ${quoted(about)}`,
      ),
    ];
  });
  return lines.join("\n");
}

function conditionOf({ path, commands }: Node): string {
  if (path.length === 0) return "__fish_use_subcommand";
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`);
  const further = commands.map(({ text }) => text).join(" ");
  return [...seen, ...(further === "" ? [] : [`not __fish_seen_subcommand_from ${further}`])].join("; and ");
}

const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const SCRIPTS: Record<Shell, (nodes: readonly Node[]) => string> = { bash, zsh, fish };
