import { describe, expect, it } from "vitest";
import { type UnitOptions, unitFile } from "../../src/cli/service/unit.js";

const OPTIONS: UnitOptions = {
  scope: "user",
  node: "/usr/bin/node",
  hermes: "/opt/hermes/dist/cli/hermes.js",
  home: "/home/ann/.hermes",
};

/** `Section.Key` → its value. */
function read(options: Partial<UnitOptions> = {}): Map<string, string> {
  const keys = new Map<string, string>();
  let section = "";
  for (const line of unitFile({ ...OPTIONS, ...options }).split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const heading = /^\[(\w+)\]$/.exec(line);
    if (heading) {
      section = heading[1]!;
      continue;
    }
    const [, key, value] = /^(\w+)=(.*)$/.exec(line)!;
    expect(keys.has(`${section}.${key}`)).toBe(false);
    keys.set(`${section}.${key}`, value!);
  }
  return keys;
}

describe("the systemd unit", () => {
  it("starts the gateway on its home, restarts it, and has a watchdog", () => {
    const unit = read();
    expect(unit.get("Service.ExecStart")).toBe("/usr/bin/node /opt/hermes/dist/cli/hermes.js gateway");
    expect(unit.get("Service.Environment")).toBe("HERMES_HOME=/home/ann/.hermes");
    expect(unit.get("Service.Type")).toBe("notify");
    expect(unit.get("Service.Restart")).toBe("always");
    expect(Number(unit.get("Service.WatchdogSec"))).toBeGreaterThan(0);
    expect(unit.get("Install.WantedBy")).toBe("default.target");
  });

  it("gives a user's own service only what a user's manager can grant", () => {
    const unit = read();
    expect(unit.get("Service.NoNewPrivileges")).toBe("yes");
    expect(unit.has("Service.User")).toBe(false);
    expect(unit.has("Service.ProtectSystem")).toBe(false);
  });

  it("sandboxes a system service: it can only write to its home", () => {
    const unit = read({ scope: "system", user: "ann" });
    expect(unit.get("Service.User")).toBe("ann");
    expect(unit.get("Service.ProtectSystem")).toBe("strict");
    expect(unit.get("Service.ReadWritePaths")).toBe("/home/ann/.hermes");
    expect(unit.get("Service.CapabilityBoundingSet")).toBe("");
    expect(unit.get("Install.WantedBy")).toBe("multi-user.target");
    // The JIT of Node would not start.
    expect(unit.has("Service.MemoryDenyWriteExecute")).toBe(false);
  });

  it("escapes systemd's special characters", () => {
    const unit = read({ home: '/home/a b/50% "x" $HOME', node: "/opt/node 24/node" });
    expect(unit.get("Service.Environment")).toBe('"HERMES_HOME=/home/a b/50%% \\"x\\" $$HOME"');
    expect(unit.get("Service.ExecStart")).toMatch(/^"\/opt\/node 24\/node" \/opt/);
  });
});
