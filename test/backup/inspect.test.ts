import fs from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { create, Header } from "tar";
import { describe, expect, it } from "vitest";
import { inspect, sizeProblem } from "../../src/backup/inspect.js";
import { describeFiles, MANIFEST } from "../../src/backup/manifest.js";
import { openBackup } from "../../src/backup/restore.js";
import { tempDir } from "../support/temp.js";

const GB = 1024 ** 3;

/** An archive of these files, with a manifest that says what the test wants it to say. */
async function archive(
  files: Record<string, string>,
  change: (listed: { path: string; bytes: number; sha256: string }[]) => unknown[] = (listed) => listed,
): Promise<string> {
  const dir = tempDir();
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    fs.writeFileSync(path.join(dir, name), text);
  }
  const manifest = { format: 1, version: "1", created_at: 1, files: change(await describeFiles(dir)) };
  fs.writeFileSync(path.join(dir, MANIFEST), JSON.stringify(manifest));
  const file = path.join(tempDir(), "backup.tar.gz");
  await create({ gzip: true, cwd: dir, file }, [MANIFEST, ...Object.keys(files)]);
  return file;
}

/** Its headers promise more than it holds, as a bomb's do before it is unpacked. */
function promising(bytes: number): string {
  const header = Buffer.alloc(512);
  new Header({ path: "state.db", size: bytes, type: "File", mode: 0o600, mtime: new Date(0) }).encode(header);
  const file = path.join(tempDir(), "bomb.tar.gz");
  fs.writeFileSync(file, gzipSync(Buffer.concat([header, Buffer.alloc(100_000)])));
  return file;
}

describe("an archive, before it is unpacked", () => {
  it("returns its manifest if everything matches", async () => {
    const file = await archive({ "state.db": "rows", "sessions/a.jsonl": "lines" });
    const { files } = await inspect(file, GB);
    expect(files.map((one) => one.path)).toEqual(["sessions/a.jsonl", "state.db"]);
  });

  it.each<[string, Parameters<typeof archive>[1], RegExp]>([
    ["a file that the manifest doesn't name", (listed) => listed.slice(1), /doesn't name/],
    ["a file of another size", ([a, b]) => [a, { ...b, bytes: 7 }], /state\.db is missing or damaged/],
  ])("is refused with %s", async (_, change, why) => {
    const file = await archive({ "a.txt": "a", "state.db": "rows" }, change);
    await expect(inspect(file, GB)).rejects.toThrow(why);
  });

  it("is rejected if it doesn't match, and nothing is written", async () => {
    const home = path.join(tempDir(), "home");
    const file = promising(1000 * 1024 * GB);
    await expect(inspect(promising(50 * 1024 ** 2), 40 * 1024 ** 2)).rejects.toThrow("room");
    const checked = async () => ({ ok: true, problems: [] });
    await expect(openBackup(file, home, checked)).rejects.toThrow("200 times its size");
    expect(fs.existsSync(home)).toBe(false);
  });

  it.each<[string, Parameters<typeof sizeProblem>, RegExp | undefined]>([
    [
      "an ordinary one",
      [
        { files: 10, bytes: GB },
        { archiveBytes: GB / 10, freeBytes: 2 * GB },
      ],
      undefined,
    ],
    [
      "a small one of empty pages",
      [
        { files: 3, bytes: 1e6 },
        { archiveBytes: 1000, freeBytes: GB },
      ],
      undefined,
    ],
    [
      "one for a larger disk",
      [
        { files: 10, bytes: GB },
        { archiveBytes: GB / 10, freeBytes: GB },
      ],
      /room/,
    ],
    [
      "a bomb",
      [
        { files: 1, bytes: GB },
        { archiveBytes: GB / 1000, freeBytes: 9 * GB },
      ],
      /times its size/,
    ],
    [
      "one of countless files",
      [
        { files: 3e6, bytes: 0 },
        { archiveBytes: 1, freeBytes: GB },
      ],
      /files/,
    ],
  ])("%s", (_, [declared, limits], expected) => {
    const problem = sizeProblem(declared, limits);
    if (expected) expect(problem).toMatch(expected);
    else expect(problem).toBeUndefined();
  });
});
