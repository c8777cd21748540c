import { describe, expect, it } from "vitest";
import { type CommandAsker, isAdmin, mayUse, unknownCommand } from "../../src/routing/admin.js";
import type { Command } from "../../src/routing/commands/command.js";
import { commands, findCommand } from "../../src/routing/commands/index.js";

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

describe("the gate", () => {
  it("is open where nobody is named", () => {
    for (const command of commands) expect(mayUse(command, asker({})).ok).toBe(true);
    expect(may("model", { isDm: true, userId: "ann", settings: undefined })).toBe(true);
  });

  it("lists of commands alone don't close it", () => {
    expect(may("model", asker({ user_allowed_commands: ["new"] }))).toBe(true);
  });

  it("is one for direct messages and one for rooms", () => {
    const dm = { allow_admin_from: ["root"] };
    expect(may("new", asker(dm))).toBe(false);
    expect(may("new", asker(dm, { isDm: false }))).toBe(true);
    const room = { group_allow_admin_from: ["root"] };
    expect(may("new", asker(room))).toBe(true);
    expect(may("new", asker(room, { isDm: false }))).toBe(false);
  });

  it("lets admins and owners through, and everybody for *", () => {
    const settings = { allow_admin_from: ["root"] };
    expect(may("model", asker(settings, { userId: "root" }))).toBe(true);
    expect(may("model", asker(settings, { owner: true }))).toBe(true);
    expect(may("model", asker({ allow_admin_from: ["*"] }))).toBe(true);
    expect(isAdmin(asker(settings))).toBe(false);
    expect(isAdmin(asker(settings, { userId: null }))).toBe(false);
  });

  it("leaves others what is listed, by any of its names, and the way to ask", () => {
    const who = asker({ allow_admin_from: ["root"], user_allowed_commands: ["/Reset", "q"] });
    const open = commands.filter((command) => mayUse(command, who).ok).map(({ name }) => name);
    expect(open.toSorted()).toEqual(["help", "new", "queue", "start", "whoami"]);
  });

  it("opens everything for *, but what is for admins only when it is named", () => {
    const admins = { allow_admin_from: ["root"] };
    expect(may("undo", asker({ ...admins, user_allowed_commands: ["*"] }))).toBe(true);
    expect(may("model", asker({ ...admins, user_allowed_commands: ["*"] }))).toBe(false);
    expect(may("model", asker({ ...admins, user_allowed_commands: ["*", "model"] }))).toBe(true);
  });

  it("takes the rooms' list for direct messages that have none, never the other way round", () => {
    const admins = { allow_admin_from: ["root"], group_allow_admin_from: ["root"] };
    expect(may("new", asker({ ...admins, group_user_allowed_commands: ["new"] }))).toBe(true);
    expect(may("new", asker({ ...admins, user_allowed_commands: ["new"] }, { isDm: false }))).toBe(false);
  });

  it("says what is closed and what is left", () => {
    const who = asker({ allow_admin_from: ["root"], user_allowed_commands: ["new"] });
    expect(mayUse(findCommand("model") as Command, who)).toEqual({
      ok: false,
      reason: "⛔ /model is admin-only here. You can use /new, /help, /whoami.",
    });
  });
});

describe("an unknown command", () => {
  it.each([
    ["statsu", "I don't know `/statsu`. Did you mean /status? /help shows what there is."],
    ["rest", "I don't know `/rest`. Did you mean /reset? /help shows what there is."],
    ["weather", "I don't know `/weather`. /help shows what there is."],
    ["", "A lone / is no command. /help shows what there is."],
  ])("%j", (name, text) => {
    expect(unknownCommand(name, commands)).toBe(text);
  });
});
