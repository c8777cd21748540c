import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runHermes } from "../cli/support/run.js";
import { Daemon } from "../support/daemon.js";
import { tempDir } from "../support/temp.js";
import { until } from "../support/until.js";

/** A program of systemd's that only writes down what it was told. */
function stubs(...programs: string[]): { path: string; said: () => string[] } {
  const dir = tempDir();
  const file = path.join(dir, "said");
  for (const name of programs) {
    fs.writeFileSync(path.join(dir, name), `#!/bin/sh\necho "${name} $*" >> ${file}\n`, { mode: 0o755 });
  }
  return {
    path: `${dir}:${process.env.PATH}`,
    said: () => (fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim().split("\n") : []),
  };
}

describe("hermes gateway install", () => {
  const UNIT = "systemd/user/hermes-gateway.service";

  it("writes the unit, enables and starts it; uninstall takes it away and leaves the data", async () => {
    const config = tempDir();
    const home = tempDir();
    const systemd = stubs("systemctl");
    const env = { PATH: systemd.path, XDG_CONFIG_HOME: config };
    const installed = await runHermes(home, ["gateway", "install"], "", env);
    expect(installed).toMatchObject({ code: 0, stderr: "" });
    expect(installed.stdout).toContain("journalctl --user -u hermes-gateway");
    const file = path.join(config, UNIT);
    expect(fs.readFileSync(file, "utf8")).toContain(`HERMES_HOME=${home}`);
    expect(systemd.said()).toEqual([
      "systemctl --user daemon-reload",
      "systemctl --user enable --now hermes-gateway.service",
    ]);

    expect((await runHermes(home, ["gateway", "uninstall"], "", env)).code).toBe(0);
    expect(fs.existsSync(file)).toBe(false);
    expect(fs.existsSync(home)).toBe(true);
    expect(systemd.said().slice(2)).toEqual([
      "systemctl --user disable --now hermes-gateway.service",
      "systemctl --user daemon-reload",
    ]);
    const again = await runHermes(home, ["gateway", "uninstall"], "", env);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("There is no service");
  });

  it("leaves another program's unit alone", async () => {
    const config = tempDir();
    const file = path.join(config, UNIT);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "[Service]\nExecStart=/bin/true\n");
    const env = { PATH: stubs("systemctl").path, XDG_CONFIG_HOME: config };
    for (const verb of ["install", "uninstall"]) {
      const refused = await runHermes(tempDir(), ["gateway", verb], "", env);
      expect(refused).toMatchObject({ code: 1 });
      expect(refused.stderr).toContain("not written by Hermes");
    }
    expect(fs.readFileSync(file, "utf8")).toContain("/bin/true");
  });

  it("explains what to do without systemd, and can still print the unit", async () => {
    const env = { PATH: tempDir(), XDG_CONFIG_HOME: tempDir() };
    const without = await runHermes(tempDir(), ["gateway", "install"], "", env);
    expect(without).toMatchObject({ code: 1 });
    expect(without.stderr).toMatch(/no systemd[\s\S]*--print/);
    expect(fs.existsSync(path.join(env.XDG_CONFIG_HOME, UNIT))).toBe(false);
    const shown = await runHermes(
      tempDir(),
      ["gateway", "install", "--print", "--system", "--user", "ann"],
      "",
      env,
    );
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.stdout).toContain("User=ann");
  });
});

describe("a gateway that systemd watches", () => {
  it("notifies systemd of its start, health and stop", async () => {
    const systemd = stubs("systemd-notify");
    const daemon = await new Daemon().start({
      PATH: systemd.path,
      NOTIFY_SOCKET: "/run/systemd/notify",
      WATCHDOG_USEC: "300000",
    });
    const told = (word: string) =>
      systemd.said().some((line) => line === `systemd-notify --pid=${daemon.pid} ${word}`);
    await until("ready", () => told("--ready"));
    await until("a sign of life", () => told("WATCHDOG=1"));
    await daemon.stop();
    expect(told("STOPPING=1")).toBe(true);
  });
});
