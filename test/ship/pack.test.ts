import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { forSeveral } from "../support/at-end.js";
import { tempDir } from "../support/temp.js";
import { start, tryPackage } from "./tryout.js";

/**
 * The package as `npm pack` makes it, in a folder with nothing else but what it depends on, which is linked from here:
 * to build that anew takes minutes, and `npm run try-pack` does.
 */

const ROOT = path.resolve(import.meta.dirname, "../..");

/** Packed once: it takes seconds. The compiled program is there already. */
let packed: { folder: string; files: string[] };
let end: () => Promise<void>;
beforeAll(async () => {
  const { made: folder, end: remove } = await forSeveral(async () => tempDir());
  end = remove;
  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const answer = String(execFileSync("npm", pack, { cwd: ROOT, stdio: ["ignore", "pipe", "ignore"] }));
  const [tarball] = Object.values(JSON.parse(answer) as Record<string, Packed>);
  execFileSync("tar", ["-xzf", path.join(folder, tarball!.filename), "-C", folder]);
  packed = { folder: path.join(folder, "package"), files: tarball!.files.map((file) => file.path) };
}, 60_000);
afterAll(() => end());

interface Packed {
  filename: string;
  files: { path: string }[];
}

/** An empty folder with the package in it. */
function install(): { folder: string; userHome: string } {
  const base = tempDir();
  const folder = path.join(base, "app");
  const modules = path.join(folder, "node_modules");
  fs.mkdirSync(path.join(modules, ".bin"), { recursive: true });
  fs.cpSync(packed.folder, path.join(modules, manifest.name), { recursive: true });
  for (const name of Object.keys(manifest.dependencies)) link(modules, name, name);
  link(modules, "better-sqlite3", DRIVER);
  for (const [name, target] of Object.entries(manifest.bin))
    fs.symlinkSync(path.join("..", manifest.name, target), path.join(modules, ".bin", name));
  const userHome = path.join(base, "user");
  fs.mkdirSync(userHome);
  return { folder, userHome };
}

/** Without a lock file npm gives the one name to the version that fits this Node. */
const DRIVER = fs.existsSync(path.join(ROOT, "node_modules/better-sqlite3"))
  ? "better-sqlite3"
  : "better-sqlite3-12";

function link(modules: string, name: string, target: string): void {
  fs.mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
  fs.symlinkSync(path.join(ROOT, "node_modules", target), path.join(modules, name));
}

describe("the packed package", () => {
  it("answers from a fresh home, and does what the README says", async () => {
    const { folder, userHome } = install();
    const tried = await tryPackage({ folder, userHome });
    expect(tried).toMatchObject({
      version: manifest.version,
      answer: "hello",
      pages: [200, 200],
      sessions: 1,
      exitCode: 0,
      inTerminal: "once more",
      doctor: { ok: true },
      key: "agent:main:web:dm:7",
    });
    expect(fs.statSync(path.join(userHome, ".hermes")).mode & 0o777).toBe(0o700);
  }, 120_000);

  it("says what to do where better-sqlite3 wasn't built, or for another Node", async () => {
    const { folder, userHome } = install();
    const link = path.join(folder, "node_modules/better-sqlite3");
    const real = fs.realpathSync(link);
    fs.rmSync(link);
    fs.cpSync(real, link, {
      recursive: true,
      filter: (name) => !/\/(?:build|prebuilds|deps|src)$/.test(name),
    });
    for (const name of ["bindings", "file-uri-to-path"])
      fs.symlinkSync(path.join(ROOT, "node_modules", name), path.join(folder, "node_modules", name));
    await expectAdvice({ folder, userHome });
    fs.mkdirSync(path.join(link, "build/Release"), { recursive: true });
    fs.writeFileSync(path.join(link, "build/Release/better_sqlite3.node"), "for another machine");
    await expectAdvice({ folder, userHome });
  }, 60_000);

  async function expectAdvice(installed: { folder: string; userHome: string }): Promise<void> {
    const bin = path.join(installed.folder, "node_modules/.bin/hermes");
    const child = start(installed, [bin, "gateway", "--port", "0"]);
    const [[code], stderr] = await Promise.all([once(child, "close"), text(child.stderr!)]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: better-sqlite3 can't be loaded[^\n]*\n[^\n]*npm rebuild`/);
  }
});

describe("what is packed", () => {
  it("is the program, its documents and nothing else", () => {
    const { files } = packed;
    const tops = new Set(files.map((file) => file.split("/", 1)[0]!));
    const wanted = "CHANGELOG.md LICENSE README.md assets config dist docs examples package.json".split(" ");
    expect([...tops].toSorted()).toEqual(wanted);
    for (const name of [
      "dist/dashboard/index.html",
      "dist/docs/index.html",
      "dist/chat/chat.html",
      "dist/index.d.ts",
      "config/config.example.yaml",
    ])
      expect(files).toContain(name);
    for (const target of Object.values(manifest.bin))
      expect(fs.readFileSync(path.join(ROOT, target), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it("imports only its declared or optional dependencies", () => {
    const optional = ["bufferutil", "utf-8-validate", "zlib-sync"];
    const known = new Set([...Object.keys(manifest.dependencies), ...builtinModules, ...optional]);
    const code = packed.files.filter((file) => /^dist\/(?!(?:chat|dashboard|docs)\/).*\.js$/.test(file));
    const foreign = code.flatMap((file) =>
      packagesIn(fs.readFileSync(path.join(ROOT, file), "utf8"))
        .filter((name) => !known.has(name))
        .map((name) => `${file}: ${name}`),
    );
    expect(code.length).toBeGreaterThan(100);
    expect(foreign).toEqual([]);
  });
});

function packagesIn(code: string): string[] {
  const still = code.matchAll(/^(?:import|export)\s(?:[\w\s{},*$]*\sfrom\s)?"([^."][^"]*)"/gm);
  const late = code.matchAll(/\bimport\("([^."][^"]*)"\)/g);
  return [...still, ...late]
    .map(([, name]) => name!)
    .filter((name) => !name.startsWith("node:"))
    .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
}
