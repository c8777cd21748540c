import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runHermes } from "../cli/support/run.js";
import { Daemon } from "../support/daemon.js";

const PLUGIN = "plugins/dove/main.mjs";

/** With a database in it. */
async function usedHome(): Promise<string> {
  const daemon = await new Daemon({ yaml: "http: {port: 0}\n" }).start();
  await daemon.stop();
  return daemon.home;
}

describe("hermes restore", () => {
  it("installs plugins with --with-plugins only; --yes doesn't approve code", async () => {
    const home = await usedHome();
    const file = path.join(home, PLUGIN);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "from the backup");
    const backup = JSON.parse((await runHermes(home, ["backup", "--json"])).stdout) as { file: string };
    fs.writeFileSync(file, "of this home");

    const refused = await runHermes(home, ["restore", backup.file, "--yes", "--json"]);
    expect(JSON.parse(refused.stdout)).toMatchObject({ plugins_left_out: ["dove"], hooks_left_out: [] });
    expect(fs.readFileSync(file, "utf8")).toBe("of this home");
    const plain = await runHermes(home, ["restore", backup.file, "--yes", "--with-hooks"]);
    expect(plain.stdout).toContain(
      `Its plugins were not installed (dove). With them: hermes restore ${backup.file} --with-plugins`,
    );

    const installed = await runHermes(home, ["restore", backup.file, "--yes", "--with-plugins"]);
    expect(installed.code).toBe(0);
    expect(fs.readFileSync(file, "utf8")).toBe("from the backup");
  });

  it("leaves the home's plugins in place if the backup has none", async () => {
    const home = await usedHome();
    const backup = JSON.parse((await runHermes(home, ["backup", "--json"])).stdout) as { file: string };
    const file = path.join(home, PLUGIN);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "of this home");
    const restored = await runHermes(home, ["restore", backup.file, "--yes", "--with-plugins"]);
    expect(restored.code).toBe(0);
    expect(fs.readFileSync(file, "utf8")).toBe("of this home");
  });
});
