import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { KEPT_FOLDERS } from "../../src/config/paths.js";
import { takeFiles } from "../../src/media/outgoing.js";
import { fifo } from "../support/fifo.js";
import { PNG } from "../support/pictures.js";
import { tempDir } from "../support/temp.js";

function home() {
  const dir = tempDir();
  fs.mkdirSync(path.join(dir, "media/out/deep"), { recursive: true });
  fs.writeFileSync(path.join(dir, "media/out/plot.png"), PNG);
  fs.writeFileSync(path.join(dir, "state.db"), "secret");
  const place = {
    ...{ home: dir, folder: "media/sent", allowedFolders: ["media/out"], maxBytes: 1000 },
    keptFolders: KEPT_FOLDERS,
  };
  return { dir, place, take: async (file: string) => (await takeFiles([{ path: file }], place))[0] };
}

const refused = (why: RegExp) => ({ name: expect.any(String), problem: expect.stringMatching(why) });

describe("a file that an answer names", () => {
  it.each(["media/out/plot.png", "ABSOLUTE"])("is copied from an allowed folder (%s)", async (wanted) => {
    const { dir, take } = home();
    const file = await take(wanted.replace("ABSOLUTE", path.join(dir, "media/out/plot.png")));
    expect(file).toEqual({
      name: "plot.png",
      path: expect.stringMatching(/^media\/sent\/[0-9a-f-]{36}\.png$/),
      mimeType: "image/png",
      bytes: PNG.length,
    });
    const copy = path.join(dir, (file as { path: string }).path);
    // The copy stays what it was, whatever becomes of the original.
    fs.writeFileSync(path.join(dir, "media/out/plot.png"), "other");
    expect(fs.readFileSync(copy)).toEqual(PNG);
    expect(fs.statSync(copy).mode & 0o777).toBe(0o600);
  });

  it("is refused outside the allowed folders, also through a link, without showing its path", async () => {
    const { dir, take } = home();
    fs.symlinkSync(path.join(dir, "state.db"), path.join(dir, "media/out/link.db"));
    fs.symlinkSync("/etc", path.join(dir, "media/out/etc"));
    fs.mkdirSync(path.join(dir, "media/outside"));
    fs.writeFileSync(path.join(dir, "media/outside/x.txt"), "x");
    const wrong = ["state.db", "media/out/../../state.db", "media/out/link.db", "media/out/etc/passwd"];
    for (const file of [...wrong, "/etc/passwd", "media/outside/x.txt", "media/out"]) {
      const taken = await take(file);
      expect(taken).toEqual(refused(/outside the allowed folders|no file/));
      expect(JSON.stringify(taken)).not.toContain(dir);
    }
    expect(fs.existsSync(path.join(dir, "media/sent"))).toBe(false);
  });

  it("is refused if too large, empty, a folder, or missing", async () => {
    const { dir, take } = home();
    fs.writeFileSync(path.join(dir, "media/out/big.bin"), Buffer.alloc(1001));
    fs.writeFileSync(path.join(dir, "media/out/empty.txt"), "");
    expect(await take("media/out/big.bin")).toEqual(refused(/larger than/));
    expect(await take("media/out/empty.txt")).toEqual(refused(/no file with content/));
    expect(await take("media/out/deep")).toEqual(refused(/no file with content/));
    expect(await take("media/out/none.txt")).toEqual(refused(/doesn.t exist/));
  });

  it("is refused if it is a FIFO, without blocking", async () => {
    const { dir, take } = home();
    fifo(dir, "media/out/pipe.txt");
    expect(await take("media/out/pipe.txt")).toEqual(refused(/no file with content/));
    expect(fs.existsSync(path.join(dir, "media/sent"))).toBe(false);
  });

  it("is refused if it has another hard link", async () => {
    const { dir, take } = home();
    fs.linkSync(path.join(dir, "state.db"), path.join(dir, "media/out/report.txt"));
    expect(await take("media/out/report.txt")).toEqual(refused(/hard link/));
    expect(fs.existsSync(path.join(dir, "media/sent"))).toBe(false);
  });

  it("is never a secret, even in an allowed folder", async () => {
    const { dir, place } = home();
    for (const folder of ["work/.ssh", "mcp-tokens"])
      fs.mkdirSync(path.join(dir, folder), { recursive: true });
    const secret = [".env", "config.yaml", "work/.ssh/key", "work/.env.local", "mcp-tokens/one.json"];
    for (const file of [...secret, "work/plan.txt"]) fs.writeFileSync(path.join(dir, file), "x");
    const wanted = ["state.db", ...secret, "work/plan.txt"];
    const taken = await takeFiles(
      wanted.map((file) => ({ path: file })),
      { ...place, allowedFolders: [dir] },
    );
    expect(taken.map((file) => "problem" in file)).toEqual([true, true, true, true, true, true, false]);
  });

  it("is never private data unless that folder itself is allowed", async () => {
    const { dir, place } = home();
    const kept = ["sessions/a.jsonl", "memories/people/x.md", "backups/b.tar.gz", "media/in/c.png"];
    for (const file of [...kept, "dashboard.token"]) {
      fs.mkdirSync(path.join(dir, path.dirname(file)), { recursive: true });
      fs.writeFileSync(path.join(dir, file), "x");
    }
    const take = async (allowedFolders: string[], more = {}) => {
      const wanted = [...kept, "dashboard.token"].map((file) => ({ path: file }));
      const taken = await takeFiles(wanted, { ...place, allowedFolders, ...more });
      return taken.map((file) => !("problem" in file));
    };
    expect(await take([dir, path.dirname(dir), "/"])).toEqual([false, false, false, false, false]);
    expect(await take(["media/in", "memories/people"])).toEqual([false, true, false, true, false]);
    expect(await take(["/"], { keptFolders: [] })).toEqual([true, true, true, true, false]);
  });

  it("doesn't reveal whether a file exists outside the allowed folders", async () => {
    const { take } = home();
    const { problem } = (await take("/etc/passwd")) as { problem: string };
    for (const file of ["/etc/no-such-file", "/no/such/folder/x.txt", "media/none/x.txt"])
      expect(await take(file)).toMatchObject({ problem });
  });

  it("is refused if the chat doesn't support files, and after the tenth", async () => {
    const { place } = home();
    const one = { path: "media/out/plot.png" };
    expect(await takeFiles([one], { ...place, maxBytes: undefined })).toEqual([
      refused(/doesn't support files/),
    ]);
    const many = await takeFiles(Array(12).fill(one), place);
    expect(many.filter((file) => "problem" in file)).toHaveLength(2);
  });
});
