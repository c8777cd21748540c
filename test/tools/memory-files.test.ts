import fs from "node:fs/promises";
import path from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { memoryFile, memoryFiles } from "../../src/tools/memory-files.js";
import { tempDir } from "../support/temp.js";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const ann = { platform: "test", userId: "ann" };

async function written(text: string): Promise<{ folder: string; file: string }> {
  const folder = tempDir();
  const file = memoryFile(folder, ann);
  await fs.mkdir(path.dirname(file), { recursive: true });
  await fs.writeFile(file, text);
  return { folder, file };
}

it("reads an unchanged file once", async () => {
  const { folder, file } = await written("likes tea\n§\nlives in Rome\n");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  const memory = memoryFiles(folder);
  const handle = await fs.open(file);
  const reads = vi.spyOn(Object.getPrototypeOf(handle) as fs.FileHandle, "readFile");
  await handle.close();
  for (let n = 0; n < 5; n += 1) expect(await memory.read(ann)).toEqual(["likes tea", "lives in Rome"]);
  expect(reads).toHaveBeenCalledTimes(1);
});

it("doesn't open a missing file", async () => {
  const memory = memoryFiles(tempDir());
  const reads = vi.spyOn(fs, "readFile");
  expect(await memory.read(ann)).toEqual([]);
  expect(reads).not.toHaveBeenCalled();
});

it("notices changes by other programs, even immediate ones of the same size", async () => {
  const { folder, file } = await written("likes tea");
  const memory = memoryFiles(folder);
  for (const text of ["likes tea", "likes hop", "likes pie"]) {
    await fs.writeFile(file, text);
    expect(await memory.read(ann)).toEqual([text]);
  }
  await fs.rm(file);
  expect(await memory.read(ann)).toEqual([]);
});

it("returns copies of cached values", async () => {
  const { folder } = await written("likes tea");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  const memory = memoryFiles(folder);
  (await memory.read(ann)).push("hates tea");
  (await memory.read(ann)).push("hates tea");
  expect(await memory.read(ann)).toEqual(["likes tea"]);
});
