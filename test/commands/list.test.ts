import { describe, expect, it } from "vitest";
import { commands, findCommand } from "../../src/commands/index.js";
import { openChat, openWorld } from "./chat.js";

const names = commands.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]);

describe("the commands", () => {
  it("match the manual", () => {
    const manual =
      "new reset title resume sessions branch fork compress cron undo retry stop queue q steer background bg btw " +
      "status usage insights model agent whoami login help commands start approve deny yolo reload-mcp reload_mcp";
    expect(names.toSorted()).toEqual(manual.split(" ").toSorted());
  });

  it("are found by all their names, and by no others", () => {
    for (const name of names) expect(findCommand(name)).toBeDefined();
    expect(findCommand("reset")).toBe(findCommand("new"));
    expect(findCommand("constructor")).toBeUndefined();
  });

  it("fit the platforms' menus", () => {
    for (const { name, description, group } of commands) {
      // Those without a group aren't in menus.
      expect(name).toMatch(group ? /^[a-z]{1,32}$/ : /^[a-z-]{1,32}$/);
      expect(description.length).toBeLessThanOrEqual(100);
    }
  });
});

describe("/help", () => {
  it("lists every command except the greeting, in groups, the most useful first", async () => {
    const reply = await openChat(await openWorld(), { user: "ann" }).ask("/help");
    const unlisted = ["start", "reload-mcp"];
    for (const { name } of commands)
      expect(reply.includes(`\`/${name}`), name).toBe(!unlisted.includes(name));
    const headings = reply.match(/\*\*.+\*\*/g);
    expect(headings).toEqual(["**Conversation**", "**While I'm working**", "**Good to know**"]);
    expect(reply).toMatch(/\*\*Conversation\*\*\n\n- `\/new \[title\]`/);
  });

  it("shows only allowed commands if admins are configured", async () => {
    const settings = { platforms: { web: { allow_admin_from: ["root"], user_allowed_commands: ["/new"] } } };
    const world = await openWorld(settings);
    const shown = (text: string) => [...text.matchAll(/`\/(\w+)/g)].map(([, name]) => name);
    expect(shown(await openChat(world, { user: "ann" }).ask("/help"))).toEqual(["new", "whoami", "help"]);
    expect(shown(await openChat(world, { user: "root" }).ask("/help"))).toHaveLength(
      commands.filter(({ group }) => group).length,
    );
  });
});

describe("/commands", () => {
  it("lists them with their aliases", async () => {
    const reply = await openChat(await openWorld(), { user: "ann" }).ask("/commands");
    expect(reply).toContain("(also /bg, /btw)");
    expect(reply).toContain("(1/2)");
  });

  it("shows twenty per page", async () => {
    const world = await openWorld();
    world.gateway.commands = Array.from({ length: 45 }, (_, i) => ({
      ...findCommand("stop")!,
      name: `c${i}`,
    }));
    const chat = openChat(world, { user: "ann" });
    const first = await chat.ask("/commands");
    expect(first.match(/^- /gm)).toHaveLength(20);
    expect(first).toContain("`/commands 2` shows more");
    expect((await chat.ask("/commands 3")).match(/^- /gm)).toHaveLength(5);
  });

  it.each(["0", "3", "-1", "x"])("has no page %j", async (page) => {
    expect(await openChat(await openWorld(), { user: "ann" }).ask(`/commands ${page}`)).toContain(
      "There are 2 pages",
    );
  });
});
