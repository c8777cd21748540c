import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { SCRIPTED } from "../mcp/support/servers.js";
import { hermes, hermesJson, runHermes, temporaryFolder } from "./support/run.js";

const configOf = (home: string) => fs.readFileSync(path.join(home, "config.yaml"), "utf8");

function homeWith(config: string): string {
  const home = temporaryFolder();
  fs.writeFileSync(path.join(home, "config.yaml"), config, { mode: 0o600 });
  return home;
}

describe("hermes mcp", () => {
  it("adds, lists, tries and removes a server, and leaves the rest of the file alone", async () => {
    const home = homeWith("# mine\nlog: {level: info} # kept\n");
    expect(await hermes(home, "mcp", "list")).toContain("No MCP servers");
    const added = await hermes(
      home,
      "mcp",
      "add",
      "one",
      "--env",
      "A=1",
      "--untrusted",
      "--",
      process.execPath,
      SCRIPTED,
    );
    expect(added).toContain("/reload-mcp");
    expect(configOf(home)).toMatch(/^# mine\nlog: \{level: info\} # kept\n/);
    expect(await hermesJson(home, "mcp", "list")).toEqual([
      {
        ...{
          name: "one",
          enabled: true,
          where: `${process.execPath} ${SCRIPTED}`,
          trust: "untrusted",
          allow: null,
        },
        ...{ state: null, tools: null },
      },
    ]);
    expect(await hermesJson(home, "mcp", "test", "one")).toMatchObject({
      ...{ ok: true, name: "one", resources: false },
      tools: expect.arrayContaining([expect.objectContaining({ name: "mcp__one__read", only_reads: true })]),
    });
    expect(await hermes(home, "mcp", "test", "one")).toContain("one works: 10 tools");
    expect(await hermesJson(home, "mcp", "remove", "one")).toEqual({ removed: "one" });
    expect(await hermesJson(home, "mcp", "list")).toEqual([]);
    expect(configOf(home)).toContain("log: {level: info} # kept");
  });

  it("adds HTTP servers with headers, and shows no secrets", async () => {
    const home = homeWith("");
    const url = "https://example.org/mcp?key=geheim";
    await hermes(
      home,
      "mcp",
      "add",
      "far",
      "--url",
      url,
      "--header",
      "Authorization: Bearer very-secret",
      "--allow",
      "owner",
    );
    const listed = await hermes(home, "mcp", "list", "--json");
    expect(JSON.parse(listed)).toMatchObject([{ where: "https://example.org/mcp", allow: ["owner"] }]);
    expect(listed).not.toContain("geheim");
    expect(await hermes(home, "config", "show")).not.toContain("very-secret");
  });

  it("reports invalid usage", async () => {
    const home = homeWith(
      `mcp_servers:\n  bad: {command: ${process.execPath}, args: [${SCRIPTED}, --exit-at-start]}\n`,
    );
    const failed = await runHermes(home, ["mcp", "test", "bad"]);
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toContain("I can't find my files");
    expect((await runHermes(home, ["mcp", "test", "none"])).stderr).toContain("Servers: bad.");
    expect((await runHermes(home, ["mcp", "add", "x"])).code).toBe(2);
    expect((await runHermes(home, ["mcp", "add", "bad", "--url", "http://127.0.0.1:1"])).stderr).toContain(
      "already",
    );
    expect((await runHermes(home, ["mcp", "add", "x", "--url", "no address"])).code).toBe(1);
    expect((await runHermes(home, ["mcp", "remove", "x"])).stderr).toContain("no MCP server x");
    expect(configOf(home)).not.toContain("no address");
  });
});
