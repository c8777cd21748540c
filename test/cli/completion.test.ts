import { execFileSync, spawnSync } from "node:child_process";
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

  it.skipIf(!isInstalled("zsh"))("completes commands and options in zsh, with what they do", async () => {
    const script = await hermes(temporaryFolder(), "completion", "zsh");
    const complete = (...words: string[]) => {
      const list = words.map((word) => `'${word}'`).join(" ");
      // Outside of the line editor there is no `_describe`: this one prints the list that it gets.
      const stubs = `compdef() { : }; _describe() { print -rl -- \${(P)2} }`;
      const ask = `words=(${list}); CURRENT=${words.length}; _hermes`;
      return run("zsh", ["-f", "-c", `${stubs}\n${script}\n${ask}`]);
    };
    expect(complete("hermes", "")).toContain("gateway:Run the gateway");
    expect(complete("hermes", "gateway", "st")).toMatch(/^status:Show.*\nstop:Stop/);
    expect(complete("hermes", "sessions", "search", "cats", "--si")).toContain("--since:");
  });

  it.skipIf(!isInstalled("fish"))("completes commands and options in fish", async () => {
    const script = await hermes(temporaryFolder(), "completion", "fish");
    const complete = (line: string) => run("fish", ["--no-config", "-c", `${script}\ncomplete -C '${line}'`]);
    expect(complete("hermes gat")).toMatch(/^gateway\tRun the gateway/);
    expect(complete("hermes gateway st")).toMatch(/^status\t.*\nstop\t/);
    expect(complete("hermes sessions search cats --si")).toMatch(/^--since\t/);
  });
});

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ["--version"]).error === undefined;
}

function run(shell: string, args: readonly string[]): string {
  return execFileSync(shell, args, { encoding: "utf8" });
}

it("hermes version names what a bug report needs", async () => {
  const versions = await hermesJson<Record<string, string>>(temporaryFolder(), "version");
  expect(versions).toMatchObject({ node: process.versions.node, sqlite: expect.stringMatching(/^3\./) });
});
