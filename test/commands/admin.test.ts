import { describe, expect, it } from "vitest";
import { type CommandAsker, isAdmin, mayUse, unknownCommand } from "../../src/commands/admin.js";
import type { Command } from "../../src/commands/command.js";
import { commands, findCommand } from "../../src/commands/index.js";

const NOBODY = {
  allow_admin_from: [],
  user_allowed_commands: [],
  group_allow_admin_from: [],
  group_user_allowed_commands: [],
};

function asker(settings: Partial<CommandAsker["settings"]>, rest: Partial<CommandAsker> = {}): CommandAsker {
  return { isDm: true, userId: "ann", settings: { ...NOBODY, ...settings }, ...rest };
}
const may = (name: string, who: CommandAsker) => mayUse(findCommand(name) as Command, who).ok;

describe("command permissions", () => {
  it("allow everything if no admins are configured", () => {
    for (const command of commands) expect(mayUse(command, asker({})).ok).toBe(true);
    expect(may("model", { isDm: true, userId: "ann", settings: undefined })).toBe(true);
  });

  it("aren't restricted by command lists alone", () => {
    expect(may("model", asker({ user_allowed_commands: ["new"] }))).toBe(true);
  });

  it("are separate for direct messages and rooms", () => {
    const dm = { allow_admin_from: ["root"] };
    expect(may("new", asker(dm))).toBe(false);
    expect(may("new", asker(dm, { isDm: false }))).toBe(true);
    const room = { group_allow_admin_from: ["root"] };
    expect(may("new", asker(room))).toBe(true);
    expect(may("new", asker(room, { isDm: false }))).toBe(false);
  });

  it("allow everything to admins and owners, and to everyone for *", () => {
    const settings = { allow_admin_from: ["root"] };
    expect(may("model", asker(settings, { userId: "root" }))).toBe(true);
    expect(may("model", asker(settings, { owner: true }))).toBe(true);
    expect(may("model", asker({ allow_admin_from: ["*"] }))).toBe(true);
    expect(isAdmin(asker(settings))).toBe(false);
    expect(isAdmin(asker(settings, { userId: null }))).toBe(false);
  });

  it("allow others the listed commands, by any of their names, and help", () => {
    const who = asker({ allow_admin_from: ["root"], user_allowed_commands: ["/Reset", "q"] });
    const open = commands.filter((command) => mayUse(command, who).ok).map(({ name }) => name);
    expect(open.toSorted()).toEqual(["help", "new", "queue", "start", "whoami"]);
  });

  it("allow everything for *, but admin-only commands only by name", () => {
    const admins = { allow_admin_from: ["root"] };
    expect(may("undo", asker({ ...admins, user_allowed_commands: ["*"] }))).toBe(true);
    expect(may("model", asker({ ...admins, user_allowed_commands: ["*"] }))).toBe(false);
    expect(may("model", asker({ ...admins, user_allowed_commands: ["*", "model"] }))).toBe(true);
  });

  it("use the rooms' list for direct messages without one, but not vice versa", () => {
    const admins = { allow_admin_from: ["root"], group_allow_admin_from: ["root"] };
    expect(may("new", asker({ ...admins, group_user_allowed_commands: ["new"] }))).toBe(true);
    expect(may("new", asker({ ...admins, user_allowed_commands: ["new"] }, { isDm: false }))).toBe(false);
  });

  it("explain what is refused and what is allowed", () => {
    const who = asker({ allow_admin_from: ["root"], user_allowed_commands: ["new"] });
    expect(mayUse(findCommand("model") as Command, who)).toEqual({
      ok: false,
      reason: "⛔ /model is admin-only here. You can use /new, /help, /whoami.",
    });
  });
});

describe("an unknown command", () => {
  it.each([
    ["statsu", "I don't know `/statsu`. Did you mean /status? /help lists the commands."],
    ["rest", "I don't know `/rest`. Did you mean /reset? /help lists the commands."],
    ["weather", "I don't know `/weather`. /help lists the commands."],
    ["", "A single / isn't a command. /help lists the commands."],
  ])("%j", (name, text) => {
    expect(unknownCommand(name, commands)).toBe(text);
  });
});
