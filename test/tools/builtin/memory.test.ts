import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Principal } from "../../../src/message.js";
import { memoryTool } from "../../../src/tools/builtin/memory.js";
import { memoryFiles } from "../../../src/tools/memory-files.js";
import { tempDir } from "../../support/temp.js";
import { toolCall } from "../../support/tool-call.js";

const ann: Principal = { platform: "web", userId: "ann" };
const bob: Principal = { platform: "web", userId: "bob" };
const owner: Principal = { platform: "web", userId: "olga", owner: true };

function setUp() {
  const folder = path.join(tempDir(), "memories");
  const files = memoryFiles(folder);
  const use = (principal: Principal, args: Record<string, unknown>) =>
    memoryTool(files).run(args, toolCall({ principal }));
  return { folder, files, use };
}

function filesIn(folder: string): string[] {
  const all = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  return all.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

describe("personal memory", () => {
  it("supports read, add, replace and remove", async () => {
    const { use } = setUp();
    expect(await use(ann, { action: "read" })).toBe("Nothing is remembered yet.");
    await use(ann, { action: "add", content: "Likes tea" });
    await use(ann, { action: "add", content: "Lives in Bern" });
    expect(await use(ann, { action: "read" })).toBe("Likes tea\n§\nLives in Bern");
    expect(await use(ann, { action: "replace", old_text: "tea", content: "Likes coffee" })).toBe("Saved.");
    await use(ann, { action: "remove", old_text: "Bern" });
    expect(await use(ann, { action: "read" })).toBe("Likes coffee");
  });

  it("is private, also from owners", async () => {
    const { use } = setUp();
    await use(ann, { action: "add", content: "Likes tea" });
    for (const other of [bob, owner, { platform: "console", userId: "ann" }]) {
      expect(await use(other, { action: "read" })).toBe("Nothing is remembered yet.");
    }
  });

  it("doesn't reveal notes in a room", async () => {
    const { files, use } = setUp();
    await use(ann, { action: "add", content: "Has a therapist" });
    const inRoom = memoryTool(files);
    const probe = (action: string, old_text: string) =>
      inRoom.run({ action, old_text, content: "x" }, toolCall({ principal: ann, shared: true }));
    for (const action of ["replace", "remove"]) {
      expect(await probe(action, "therapist")).toBe(await probe(action, "no such word"));
    }
    expect(await use(ann, { action: "read" })).toBe("Has a therapist");
  });

  it("can be extended but not read in a shared session", async () => {
    const { files, use } = setUp();
    const inRoom = memoryTool(files);
    expect(
      await inRoom.run({ action: "add", content: "Likes tea" }, toolCall({ principal: ann, shared: true })),
    ).toBe("Saved.");
    expect(await inRoom.run({ action: "read" }, toolCall({ principal: ann, shared: true }))).toMatch(
      /^Error: several people/,
    );
    expect(
      await inRoom.run({ action: "read", target: "memory" }, toolCall({ principal: ann, shared: true })),
    ).toBe("Nothing is remembered yet.");
    expect(await use(ann, { action: "read" })).toBe("Likes tea");
  });

  it("deduplicates entries", async () => {
    const { use } = setUp();
    for (let i = 0; i < 3; i++) await use(ann, { action: "add", content: "Likes tea" });
    expect(await use(ann, { action: "read" })).toBe("Likes tea");
  });

  it.each([
    [{ action: "add" }, "content is missing"],
    [{ action: "add", content: "§" }, "content is missing"],
    [{ action: "remove" }, "old_text is missing"],
    [{ action: "remove", old_text: "coffee" }, "no entry contains"],
    [{ action: "remove", old_text: "Likes" }, "2 entries contain"],
    [{ action: "toString" }, 'no action "toString"'],
    [{ action: "read", target: "bob" }, "target must be"],
  ])("tells the model what is wrong with %j", async (args, words) => {
    const { use } = setUp();
    await use(ann, { action: "add", content: "Likes tea" });
    await use(ann, { action: "add", content: "Likes cake" });
    expect(await use(ann, args)).toMatch(/^Error: /);
    expect(await use(ann, args)).toContain(words);
    expect(await use(ann, { action: "read" })).toBe("Likes tea\n§\nLikes cake");
  });

  it("removes the exact match, even if other entries contain the text", async () => {
    const { use } = setUp();
    await use(ann, { action: "add", content: "tea" });
    await use(ann, { action: "add", content: "green tea" });
    await use(ann, { action: "remove", old_text: "tea" });
    expect(await use(ann, { action: "read" })).toBe("green tea");
  });

  it("is limited to 8,000 characters", async () => {
    const { use } = setUp();
    await use(ann, { action: "add", content: "x".repeat(7990) });
    expect(await use(ann, { action: "add", content: "one more entry" })).toContain(
      "Remove or shorten something",
    );
    expect(await use(ann, { action: "replace", old_text: "x", content: "y".repeat(8000) })).toBe("Saved.");
  });

  it("can shrink if another program made it too large", async () => {
    const { folder, use } = setUp();
    await use(owner, { action: "add", target: "memory", content: "small" });
    fs.writeFileSync(path.join(folder, "MEMORY.md"), `${"x".repeat(9000)}\n§\nsmall\n`);
    expect(await use(owner, { action: "remove", target: "memory", old_text: "small" })).toBe("Saved.");
  });

  it("keeps all concurrent writes", async () => {
    const { use } = setUp();
    const facts = Array.from({ length: 20 }, (_, i) => `fact ${i}.`);
    await Promise.all(facts.map((content) => use(ann, { action: "add", content })));
    expect((await use(ann, { action: "read" })).split("\n§\n").sort()).toEqual(facts.sort());
  });

  it("works after an error", async () => {
    const { use } = setUp();
    const [wrong, right] = await Promise.all([
      use(ann, { action: "remove", old_text: "nothing" }),
      use(ann, { action: "add", content: "Likes tea" }),
    ]);
    expect([wrong.startsWith("Error"), right]).toEqual([true, "Saved."]);
  });
});

describe("shared memory", () => {
  it("is written by owners and read by everyone", async () => {
    const { folder, use } = setUp();
    await use(owner, { action: "add", target: "memory", content: "The office is in Bern" });
    expect(await use(ann, { action: "read", target: "memory" })).toBe("The office is in Bern");
    expect(fs.readFileSync(path.join(folder, "MEMORY.md"), "utf8")).toBe("The office is in Bern\n");
  });

  it.each(["add", "replace", "remove"])("rejects %s by non-owners", async (action) => {
    const { use } = setUp();
    await use(owner, { action: "add", target: "memory", content: "The office is in Bern" });
    const args = { action, target: "memory", content: "Nonsense", old_text: "office" };
    expect(await use(ann, args)).toBe("Error: only owners may change the shared memory.");
    expect(await use(ann, { action: "read", target: "memory" })).toBe("The office is in Bern");
  });

  it("reads Hermes Agent's format", async () => {
    const { folder, use } = setUp();
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, "MEMORY.md"), "one\n§\ntwo\nlines § here");
    expect(await use(ann, { action: "read", target: "memory" })).toBe("one\n§\ntwo\nlines § here");
  });
});

describe("memory files", () => {
  it("are private, without leftovers", async () => {
    const { folder, use } = setUp();
    await use(ann, { action: "add", content: "Likes tea" });
    const files = filesIn(folder);
    expect(files).toHaveLength(1);
    expect(fs.statSync(files[0]!).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.dirname(files[0]!)).mode & 0o777).toBe(0o700);
  });

  it("stay separate and inside their folder for any id", async () => {
    const { folder, files } = setUp();
    const part = fc.constantFrom(
      "..",
      "/",
      "\\",
      "\0",
      "a",
      "A",
      "_",
      ".",
      "MEMORY.md",
      "é",
      "🎉",
      "x".repeat(300),
    );
    const id = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(""));
    const seen = new Map<string, string>();
    await fc.assert(
      fc.asyncProperty(id, id, async (platform, userId) => {
        const key = JSON.stringify([platform, userId]);
        await files.change({ platform, userId }, () => [JSON.stringify(key)]);
        seen.set(key, JSON.stringify(key));
        for (const [each, text] of seen) {
          const [platform, userId] = JSON.parse(each);
          expect(await files.read({ platform, userId })).toEqual([text]);
        }
      }),
      { numRuns: 30 },
    );
    expect(filesIn(path.join(folder, "people"))).toHaveLength(seen.size);
    expect(fs.readdirSync(path.dirname(folder))).toEqual(["memories"]);
    expect(fs.readdirSync(folder)).toEqual(["people"]);
  });
});
