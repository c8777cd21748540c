/** Command + person + the platform's admin lists → may use it, or the words of the refusal. Pure. */
import type { Command } from "./commands/command.js";
import { nearestCommand } from "./parse-command.js";

/** The four keys of a platform's configuration; admins are stable ids, `*` stands for everybody. */
interface AdminSettings {
  allow_admin_from: readonly string[];
  user_allowed_commands: readonly string[];
  group_allow_admin_from: readonly string[];
  group_user_allowed_commands: readonly string[];
}

export interface CommandAsker {
  isDm: boolean;
  userId: string | null;
  owner?: boolean | undefined;
  /** Undefined: the platform has no settings, so nobody is named. */
  settings: AdminSettings | undefined;
}

/** Of a command that only hooks know there is no more than its name. */
export type NamedCommand = Pick<Command, "name" | "aliases" | "adminOnly">;

export type CommandPermission = { ok: true } | { ok: false; reason: string };

/** Who must always be able to ask what they may do; /start comes from the apps themselves, before any word. */
const ALWAYS = new Set(["help", "whoami", "start"]);

export function mayUse(command: NamedCommand, asker: CommandAsker): CommandPermission {
  if (isAdmin(asker) || ALWAYS.has(command.name) || isListed(command, asker)) return { ok: true };
  return { ok: false, reason: `⛔ /${command.name} is admin-only here. ${whatIsLeft(asker)}` };
}

/** Where nobody is named, everybody is. */
export function isAdmin(asker: CommandAsker): boolean {
  const admins = adminsOf(asker);
  if (admins.length === 0 || asker.owner) return true;
  return admins.includes("*") || (asker.userId !== null && admins.includes(asker.userId));
}

function adminsOf({ isDm, settings }: CommandAsker): readonly string[] {
  return (isDm ? settings?.allow_admin_from : settings?.group_allow_admin_from) ?? [];
}

/** Direct messages without a list of their own take that of the groups. */
function listOf({ isDm, settings }: CommandAsker): string[] {
  const own = isDm ? settings?.user_allowed_commands : undefined;
  const list = own && own.length > 0 ? own : settings?.group_user_allowed_commands;
  return (list ?? []).map((entry) => entry.trim().toLowerCase().replace(/^\//, ""));
}

/** `*` opens everything but what is for admins by nature; that has to be named. */
function isListed(command: NamedCommand, asker: CommandAsker): boolean {
  const listed = listOf(asker);
  if (listed.includes("*") && !command.adminOnly) return true;
  return [command.name, ...(command.aliases ?? [])].some((name) => listed.includes(name));
}

function whatIsLeft(asker: CommandAsker): string {
  const names = new Set([...listOf(asker).filter((name) => name !== "*"), "help", "whoami"]);
  return `You can use ${[...names].map((name) => `/${name}`).join(", ")}.`;
}

/** Give it only the commands that the asker may use, so that it suggests no other. */
export function unknownCommand(name: string, commands: readonly Command[]): string {
  const names = commands.flatMap((command) => [command.name, ...(command.aliases ?? [])]);
  // Everything short is near to a name of one letter.
  const nearest = nearestCommand(
    name,
    names.filter(({ length }) => length > 1),
  );
  const shown = name === "" ? "A lone / is no command." : `I don't know \`/${name.replaceAll("`", "'")}\`.`;
  const meant = nearest === undefined ? "" : ` Did you mean /${nearest}?`;
  return `${shown}${meant} /help shows what there is.`;
}
