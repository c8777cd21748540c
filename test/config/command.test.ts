import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { runHermes } from "../cli/support/run.js";
import { temporaryHome } from "./temp-home.js";

test("check prints ok, or lists the faults and exits with 1", async () => {
  const home = temporaryHome();
  expect(await runHermes(home, ["config", "check"])).toEqual({ stdout: "ok\n", stderr: "", code: 0 });
  writeFileSync(join(home, "config.yaml"), "http:\n  prot: 1\n");
  const stdout = "config.yaml:2  http.prot: is not a known key (did you mean `port`?)\n";
  expect(await runHermes(home, ["config", "check"])).toEqual({ stdout, stderr: "", code: 1 });
  expect(JSON.parse((await runHermes(home, ["config", "check", "--json"])).stdout)).toMatchObject({
    ok: false,
    faults: [{ path: "http.prot" }],
  });
});

test("show prints the configuration with masked secrets, and its sources on request", async () => {
  const home = temporaryHome();
  const env = { TELEGRAM_BOT_TOKEN: "1234567890:abcdefghijklmn" };
  const plain = (await runHermes(home, ["config", "show"], "", env)).stdout;
  expect(parse(plain)).toMatchObject({ platforms: { telegram: { enabled: true, token: "****klmn" } } });
  const sourced = (await runHermes(home, ["config", "show", "--sources"], "", env)).stdout;
  expect(sourced).toContain('token: "****klmn"  # env TELEGRAM_BOT_TOKEN\n');
  expect(sourced).toContain("  port: 8787  # default\n");
  expect(parse(sourced)).toEqual(parse(plain));
  const json = JSON.parse((await runHermes(home, ["config", "show", "--sources", "--json"], "", env)).stdout);
  expect(json.sources["platforms.telegram.token"]).toBe("env TELEGRAM_BOT_TOKEN");
});

test("path and schema print the path and the schema", async () => {
  const home = temporaryHome();
  expect((await runHermes(home, ["config", "path"])).stdout).toBe(`${join(home, "config.yaml")}\n`);
  expect(JSON.parse((await runHermes(home, ["config", "path", "--json"])).stdout)).toEqual({
    path: join(home, "config.yaml"),
  });
  expect(JSON.parse((await runHermes(home, ["config", "schema"])).stdout)).toHaveProperty(
    "properties.session_reset.properties.mode",
  );
});
