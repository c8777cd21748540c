import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { hermes, hermesJson, temporaryFolder } from "./support/run.js";

describe("hermes completion", () => {
  it("completes commands and options in bash", async () => {
    const script = await hermes(temporaryFolder(), "completion", "bash");
    const complete = (...words: string[]) => {
      const list = words.map((word) => `'${word}'`).join(" ");
      const ask = `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _hermes; echo "\${COMPREPLY[*]}"`;
      return execFileSync("bash", ["-c", `${script}\n${ask}`], { encoding: "utf8" })
        .trim()
        .split(" ");
    };
    expect(complete("hermes", "ga")).toEqual(["gateway"]);
    expect(complete("hermes", "gateway", "st")).toEqual(["status", "stop"]);
    expect(complete("hermes", "sessions", "search", "cats", "--si")).toEqual(["--since"]);
  });

  it("has scripts for zsh and fish", async () => {
    const home = temporaryFolder();
    expect(await hermes(home, "completion", "zsh")).toContain("bashcompinit");
    const fish = await hermes(home, "completion", "fish");
    expect(fish).toContain("complete -c hermes -n '__fish_use_subcommand' -f -a gateway");
    expect(fish).toContain("-l since");
  });
});

it("hermes version names what a bug report needs", async () => {
  const versions = await hermesJson<Record<string, string>>(temporaryFolder(), "version");
  expect(versions).toMatchObject({ node: process.versions.node, sqlite: expect.stringMatching(/^3\./) });
});
