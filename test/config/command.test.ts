import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { passedOn } from "../support/passed-on.js";
import { temporaryHome } from "./temp-home.js";

/** The command alone, in a process of its own: colours, streams and exit codes are its output too. */
function run(home: string, args: string[], env: Record<string, string> = {}) {
  const script = `
    import { configCommand } from "./src/cli/config.ts";
    await configCommand().parseAsync(${JSON.stringify(args)}, { from: "user" });`;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "-e", script],
    { encoding: "utf8", env: { ...passedOn(), HERMES_HOME: home, ...env } },
  );
  return { stdout, stderr, status };
}

test("check says ok, or lists the faults and exits with 1", () => {
  const home = temporaryHome();
  expect(run(home, ["check"])).toEqual({ stdout: "ok\n", stderr: "", status: 0 });
  writeFileSync(join(home, "config.yaml"), "http:\n  prot: 1\n");
  const stdout = "config.yaml:2  http.prot: is not a key (did you mean `port`?)\n";
  expect(run(home, ["check"])).toEqual({ stdout, stderr: "", status: 1 });
  expect(JSON.parse(run(home, ["check", "--json"]).stdout)).toMatchObject({
    ok: false,
    faults: [{ path: "http.prot" }],
  });
});

test("show prints what is in force, secrets masked, with its layers on request", () => {
  const home = temporaryHome();
  const env = { TELEGRAM_BOT_TOKEN: "1234567890:abcdefghijklmn" };
  const plain = run(home, ["show"], env).stdout;
  expect(parse(plain)).toMatchObject({ platforms: { telegram: { enabled: true, token: "****klmn" } } });
  const sourced = run(home, ["show", "--sources"], env).stdout;
  expect(sourced).toContain('token: "****klmn"  # env TELEGRAM_BOT_TOKEN\n');
  expect(sourced).toContain("  port: 8787  # default\n");
  expect(parse(sourced)).toEqual(parse(plain));
  const json = JSON.parse(run(home, ["show", "--sources", "--json"], env).stdout);
  expect(json.sources["platforms.telegram.token"]).toBe("env TELEGRAM_BOT_TOKEN");
});

test("path and schema print just that", () => {
  const home = temporaryHome();
  expect(run(home, ["path"]).stdout).toBe(`${join(home, "config.yaml")}\n`);
  expect(JSON.parse(run(home, ["path", "--json"]).stdout)).toEqual({ path: join(home, "config.yaml") });
  expect(JSON.parse(run(home, ["schema"]).stdout)).toHaveProperty("properties.session_reset.properties.mode");
});
