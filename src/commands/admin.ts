/** Command + person + the platform's admin lists → allowed, or the text of the refusal. Pure. */
import type { Command } from "./command.js";
import { nearestCommand } from "./parse-command.js";

/** The four keys of a platform's configuration; admins are stable ids, `*` means everyone. */
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
  /** Undefined if the platform has no settings, so there are no admins. */
  settings: AdminSettings | undefined;
}

/** A command that only hooks implement has just a name. */
export type NamedCommand = Pick<Command, "name" | "aliases" | "adminOnly">;

export type CommandPermission = { ok: true } | { ok: false; reason: string };

/** Always allowed, so that people can see what they may do; apps send /start themselves. */
const ALWAYS = new Set(["help", "whoami", "start"]);

export function mayUse(command: NamedCommand, asker: CommandAsker): CommandPermission {
  if (isAdmin(asker) || ALWAYS.has(command.name) || isListed(command, asker)) return { ok: true };
  return { ok: false, reason: `⛔ /${command.name} is admin-only here. ${allowedCommands(asker)}` };
}

/** Without an admin list, everyone is an admin. */
export function isAdmin(asker: CommandAsker): boolean {
  const admins = adminsOf(asker);
  if (admins.length === 0 || asker.owner) return true;
  return admins.includes("*") || (asker.userId !== null && admins.includes(asker.userId));
}

function adminsOf({ isDm, settings }: CommandAsker): readonly string[] {
  return (isDm ? settings?.allow_admin_from : settings?.group_allow_admin_from) ?? [];
}

/** Direct messages fall back to the groups' list. */
function listOf({ isDm, settings }: CommandAsker): string[] {
  const own = isDm ? settings?.user_allowed_commands : undefined;
  const list = own && own.length > 0 ? own : settings?.group_user_allowed_commands;
  return (list ?? []).map((entry) => entry.trim().toLowerCase().replace(/^\//, ""));
}

/** `*` allows everything except admin commands: those must be listed by name. */
function isListed(command: NamedCommand, asker: CommandAsker): boolean {
  const listed = listOf(asker);
  if (listed.includes("*") && !command.adminOnly) return true;
  return [command.name, ...(command.aliases ?? [])].some((name) => listed.includes(name));
}

function allowedCommands(asker: CommandAsker): string {
  const names = new Set([...listOf(asker).filter((name) => name !== "*"), "help", "whoami"]);
  return `You can use ${[...names].map((name) => `/${name}`).join(", ")}.`;
}

/** Suggests only from the given commands: pass those that the asker may use. */
export function unknownCommand(name: string, commands: readonly Command[]): string {
  const names = commands.flatMap((command) => [command.name, ...(command.aliases ?? [])]);
  // Any short word is close to a one-letter name.
  const nearest = nearestCommand(
    name,
    names.filter(({ length }) => length > 1),
  );
  const shown =
    name === "" ? "A single / isn't a command." : `I don't know \`/${name.replaceAll("`", "'")}\`.`;
  const meant = nearest === undefined ? "" : ` Did you mean /${nearest}?`;
  return `${shown}${meant} /help lists the commands.`;
}
