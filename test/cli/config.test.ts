import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { hermes, hermesJson, runHermes, temporaryFolder } from "./support/run.js";

function homeWith(config: string): string {
  const home = temporaryFolder();
  fs.writeFileSync(path.join(home, "config.yaml"), config);
  return home;
}

const fileOf = (home: string) => fs.readFileSync(path.join(home, "config.yaml"), "utf8");

describe("hermes config get", () => {
  it("prints the value in force, from the file or the default", async () => {
    const home = homeWith("session_reset: {mode: idle}\n");
    expect(await hermes(home, "config", "get", "session_reset.mode")).toBe("idle\n");
    expect(await hermesJson(home, "config", "get", "http.port")).toBe(8787);
  });

  it("masks secrets unless asked to show them", async () => {
    const home = homeWith("platforms: {telegram: {token: '12345:secret-of-the-bot'}}\n");
    const key = ["config", "get", "platforms.telegram.token"] as const;
    expect(await hermes(home, ...key)).not.toContain("secret-of");
    expect(await hermes(home, ...key, "--show")).toBe("12345:secret-of-the-bot\n");
  });

  it("fails for a key that doesn't exist", async () => {
    const ran = await runHermes(temporaryFolder(), ["config", "get", "http.prot"]);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no key http.prot.") });
  });
});

describe("hermes config set", () => {
  it("changes one value and keeps comments and everything else", async () => {
    const home = homeWith("# mine\nhttp:\n  port: 1000 # chosen\nlog: {level: info}\n");
    const said = await hermes(home, "config", "set", "http.port", "2000");
    expect(fileOf(home)).toBe("# mine\nhttp:\n  port: 2000 # chosen\nlog: {level: info}\n");
    expect(said).toContain("+   port: 2000 # chosen");
    expect(await hermes(home, "config", "set", "http.port", "2000")).toBe("It already has this value.\n");
  });

  it("reads the value as YAML, and starts a file that isn't there", async () => {
    const home = temporaryFolder();
    await hermes(home, "config", "set", "platforms.telegram.allow_from", "[1, 2]");
    expect(await hermesJson(home, "config", "get", "platforms.telegram.allow_from")).toEqual(["1", "2"]);
  });

  it("writes nothing that wouldn't load", async () => {
    const home = homeWith("http: {port: 1000}\n");
    const ran = await runHermes(home, ["config", "set", "http.port", "many"]);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("http.port") });
    expect(fileOf(home)).toBe("http: {port: 1000}\n");
    expect(await runHermes(home, ["config", "set", "http..port", "1"])).toMatchObject({ code: 2 });
    expect(await runHermes(home, ["config", "set", "http.port", "[1"])).toMatchObject({ code: 2 });
  });

  it("is undone by unset", async () => {
    const home = homeWith("http: {port: 1000}\nlog: {level: info}\n");
    await hermes(home, "config", "unset", "http.port");
    expect(await hermesJson(home, "config", "get", "http.port")).toBe(8787);
    expect(fileOf(home)).toContain("log: {level: info}");
  });
});

it("hermes config edit needs a terminal", async () => {
  const ran = await runHermes(temporaryFolder(), ["config", "edit"]);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("There is no terminal") });
});
