import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { acquireLock, readLock } from "../src/store/sqlite/lock.js";
import { Process, python } from "./support/processes.js";
import { tempDir } from "./support/temp.js";

const info = { pid: process.pid, started_at: 1781601323, boot_id: "b1", url: null };

const LOCK = new URL("../dist/store/sqlite/lock.js", import.meta.url).href;

/** A process that takes the gateway lock: prints `held` or the error, and runs until its stdin ends. */
function holder(home: string): Process {
  const script = `
    import { acquireLock } from ${JSON.stringify(LOCK)};
    const info = { pid: process.pid, started_at: Date.now() / 1000, boot_id: "boot", url: null };
    try {
      const lock = await acquireLock(${JSON.stringify(home)}, info);
      console.log("held");
      process.stdin.on("data", async (data) => {
        if (String(data).startsWith("url")) { await lock.update({ url: "http://127.0.0.1:1" }); console.log("updated"); }
        if (String(data).startsWith("release")) { await lock.leave(); console.log("released"); }
      }).on("end", () => process.exit(0));
    } catch (error) {
      console.log("refused " + JSON.stringify({ code: error.code, message: error.message, hint: error.hint }));
    }`;
  return new Process(process.execPath, ["--input-type=module", "-e", script]);
}

describe("the gateway lock", () => {
  it("rejects a second gateway and names the first and its start time", async () => {
    const home = tempDir();
    const first = holder(home);
    await first.line("held");
    const second = holder(home);
    const refusal = JSON.parse((await second.line("refused ")).slice("refused ".length));
    expect(refusal.code).toBe("conflict");
    expect(refusal.message).toMatch(
      new RegExp(
        `^A gateway is already running on ${home} \\(pid ${first.child.pid}, since \\d{4}-\\d\\d-\\d\\d [\\d:]{8}\\)\\.$`,
      ),
    );
    expect(refusal.hint).toContain("hermes gateway stop");
    expect(await second.end()).toBe("0");
    // The first one is unaffected.
    expect(await readLock(home)).toMatchObject({
      running: true,
      info: { pid: first.child.pid, boot_id: "boot" },
    });
  });

  it("is free right after a crash, and the crashed process' data is ignored", async () => {
    const home = tempDir();
    const first = holder(home);
    await first.line("held");
    await first.kill();
    expect(fs.existsSync(path.join(home, "gateway.lock.json"))).toBe(true);
    expect(await readLock(home)).toMatchObject({ running: false });
    const second = holder(home);
    await second.line("held");
    expect(await readLock(home)).toMatchObject({ running: true, info: { pid: second.child.pid } });
  });

  it("is released without leaving readable data", async () => {
    const home = tempDir();
    const first = holder(home);
    await first.line("held");
    first.send("url");
    await first.line("updated");
    expect(await readLock(home)).toMatchObject({ running: true, info: { url: "http://127.0.0.1:1" } });
    expect(fs.statSync(path.join(home, "gateway.lock.json")).mode & 0o777).toBe(0o600);
    first.send("release");
    await first.line("released");
    expect(await readLock(home)).toMatchObject({ running: false });
    expect(fs.existsSync(path.join(home, "gateway.lock.json"))).toBe(false);
    const lock = await acquireLock(home, info);
    await lock.leave();
  });

  it("leaves Hermes Agent's gateway.json unchanged", async () => {
    const home = tempDir();
    const theirs = path.join(home, "gateway.json");
    fs.writeFileSync(theirs, '{"reset_by_type": {"dm": {"mode": "none"}}}');
    const lock = await acquireLock(home, info);
    expect(lock.afterCrash).toBe(false);
    await lock.leave();
    expect(fs.readFileSync(theirs, "utf8")).toBe('{"reset_by_type": {"dm": {"mode": "none"}}}');
  });

  it("works within one process too, and isn't lost by checking it", async () => {
    const home = path.join(tempDir(), "made", "here");
    const lock = await acquireLock(home, info);
    await expect(acquireLock(home, info)).rejects.toMatchObject({ code: "conflict" });
    expect(await readLock(home)).toEqual({ running: true, info });
    const other = holder(home);
    await other.line("refused ");
    expect(fs.statSync(path.join(home, "gateway.lock.db")).mode & 0o777).toBe(0o600);
    await lock.leave();
    await lock.leave();
    expect(await readLock(home)).toMatchObject({ running: false });
  });

  it("can be checked without blocking a gateway that starts at that moment", async () => {
    const home = tempDir();
    await (await acquireLock(home, info)).leave();
    const reports = Array.from({ length: 200 }, () => readLock(home));
    const gateway = holder(home);
    await gateway.line("held");
    await Promise.all(reports);
  });

  it("survives garbage collection without references", async () => {
    const home = tempDir();
    const script = `
      import { setImmediate as turn } from "node:timers/promises";
      import { acquireLock } from ${JSON.stringify(LOCK)};
      await acquireLock(${JSON.stringify(home)}, { pid: process.pid, started_at: 1, boot_id: "b", url: null });
      for (let n = 0; n < 20; n++) { globalThis.gc(); await turn(); }
      console.log("held");
      process.stdin.resume();`;
    const forgetful = new Process(process.execPath, ["--expose-gc", "--input-type=module", "-e", script]);
    await forgetful.line("held");
    expect((await readLock(home)).running).toBe(true);
  });

  it("doesn't exist without a home", async () => {
    expect(await readLock(path.join(tempDir(), "none"))).toMatchObject({ running: false });
  });

  it.runIf(process.platform === "linux")("yields to Hermes Agent's own gateway", async () => {
    const home = tempDir();
    const agent = python(
      `import fcntl, os
f = open(args[0], "a+"); fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB); print("held", flush=True); sys.stdin.read()`,
      path.join(home, "gateway.lock"),
    );
    await agent.line("held");
    await expect(acquireLock(home, info)).rejects.toMatchObject({
      code: "conflict",
      message: `Hermes Agent's own gateway is running on ${home} (pid ${agent.child.pid}).`,
    });
    await agent.kill();
    await (await acquireLock(home, info)).leave();
  });
});
