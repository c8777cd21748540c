import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findHooks, isEvent } from "../../src/hooks/find.js";
import { listenersOf } from "../../src/hooks/hook.js";
import { verdictOf } from "../../src/hooks/verdict.js";
import { tempDir } from "../support/temp.js";

describe("event matching", () => {
  const hooks = [
    { name: "z-exact", events: ["command:new"] },
    { name: "b-wide", events: ["command:*"] },
    { name: "a-both", events: ["command:*", "command:new"] },
    { name: "other", events: ["command:stop", "session:*", "*"] },
  ];

  it("calls exact matches first, then wildcards, each sorted by name", () => {
    const names = (event: string) => listenersOf(hooks, event).map(({ name }) => name);
    expect(names("command:new")).toEqual(["a-both", "z-exact", "b-wide"]);
    expect(names("command:undo")).toEqual(["a-both", "b-wide"]);
    expect(names("session:end")).toEqual(["other"]);
    expect(names("agent:end")).toEqual([]);
  });

  it.each([
    ["session:start", true],
    ["session:*", true],
    ["agent:*", true],
    ["command:*", true],
    ["command:anything", true],
    ["command:", false],
    ["session:begin", false],
    ["*", false],
    ["gateway", false],
  ])("%s is an event: %s", (event, is) => {
    expect(isEvent(event)).toBe(is);
  });
});

describe("a command verdict", () => {
  it.each([
    [undefined, undefined],
    ["deny", undefined],
    [{ decision: "allow" }, undefined],
    [{ decision: "explode" }, undefined],
    [{ decision: "deny" }, { decision: "deny", message: null }],
    [
      { decision: "deny", message: "no" },
      { decision: "deny", message: "no" },
    ],
    [
      { decision: "handled", message: "done" },
      { decision: "handled", message: "done" },
    ],
    [
      { decision: "rewrite", command_name: "/Title", raw_args: "a b" },
      { decision: "rewrite", command: "title", args: "a b" },
    ],
    [{ decision: "rewrite" }, undefined],
    [{ decision: "deny", message: 7 }, undefined],
  ])("%j", (given, expected) => {
    expect(verdictOf(given)).toEqual(expected);
  });
});

describe("hooks in a home", () => {
  it("are found by folder, with their problems", () => {
    const dir = tempDir();
    const add = (name: string, files: Record<string, string>) => {
      mkdirSync(join(dir, name));
      for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, name, file), text);
    };
    add("zeta", { "HOOK.yaml": "events: [session:start]\n", "handler.js": "" });
    add("alpha", {
      "HOOK.yaml": 'name: first\ndescription: The first\nevents: ["agent:*", "agent:rest"]\n',
      "handler.mjs": "",
    });
    add("broken", { "HOOK.yaml": "events: [", "handler.mjs": "" });
    add("eventless", { "HOOK.yaml": "name: x\n", "handler.mjs": "" });
    add("python", { "HOOK.yaml": "events: [session:start]\n", "handler.py": "" });
    add("not-a-hook", { "README.md": "" });
    add(".hidden", { "HOOK.yaml": "events: [session:start]\n", "handler.mjs": "" });
    writeFileSync(join(dir, "a-file"), "");
    const { modules, problems } = findHooks(dir);
    expect(modules).toEqual([
      {
        name: "first",
        description: "The first",
        events: ["agent:*", "agent:rest"],
        file: join(dir, "alpha", "handler.mjs"),
        warning: "no such event: agent:rest",
      },
      { name: "zeta", description: "", events: ["session:start"], file: join(dir, "zeta", "handler.js") },
    ]);
    expect(problems.map(({ name }) => name)).toEqual(["broken", "eventless", "python"]);
    expect(problems[2]!.problem).toContain("handler.py is for Hermes Agent");
    expect(findHooks(join(dir, "nowhere"))).toEqual({ modules: [], problems: [] });
  });
});
