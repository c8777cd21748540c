import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readTexts, writeTexts } from "../../src/config/files.js";
import { withLockFile } from "../../src/config/lock-file.js";
import { tempDir } from "../support/temp.js";

const TIMES = { abandonedMs: 10_000, waitMs: 50 };

it("only one at a time gets it, and nothing is left", async () => {
  const file = join(tempDir(), "lock");
  let inside = 0;
  const done = await Promise.all(
    Array.from({ length: 5 }, (_, i) =>
      withLockFile(file, async () => {
        inside += 1;
        await new Promise((resolve) => setImmediate(resolve));
        expect(inside).toBe(1);
        inside -= 1;
        return i;
      }),
    ),
  );
  expect(done).toEqual([0, 1, 2, 3, 4]);
  const failed = withLockFile(file, () => Promise.reject(new Error("no")));
  await expect(failed).rejects.toThrow("no");
  expect(existsSync(file)).toBe(false);
});

it("says who is waited for, and takes it from a process that was killed", async () => {
  const folder = tempDir();
  const file = join(folder, "lock");
  writeFileSync(file, "another's");
  const waited = withLockFile(file, async () => 1, TIMES);
  await expect(waited).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining(file) });
  expect(readFileSync(file, "utf8")).toBe("another's");
  for (const seconds of [-60, 60]) {
    writeFileSync(file, "a killed one's");
    const changedAt = new Date(Date.now() + seconds * 1000);
    utimesSync(file, changedAt, changedAt);
    expect(await withLockFile(file, async () => 2, TIMES)).toBe(2);
  }
  expect(readdirSync(folder)).toEqual([]);
});

it("of two that change the configuration at once, one fails and says what to do", async () => {
  const home = tempDir();
  const before = readTexts(home);
  const written = (level: string) =>
    writeTexts(home, before, { ...before, config: `log: {level: ${level}}\n` });
  const [first, second] = await Promise.allSettled([written("debug"), written("warn")]);
  const lost = first.status === "rejected" ? first : second;
  expect([first.status, second.status].sort()).toEqual(["fulfilled", "rejected"]);
  expect(lost).toMatchObject({
    reason: {
      code: "conflict",
      message: "config.yaml has changed since it was read, so nothing was written.",
      hint: expect.stringContaining("repeat your change"),
    },
  });
  const kept = first.status === "fulfilled" ? "debug" : "warn";
  expect(readTexts(home).config).toBe(`log: {level: ${kept}}\n`);
  expect(readdirSync(home)).toEqual(["config.yaml"]);
});
