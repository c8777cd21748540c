import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { SPILL_FOLDER } from "../../src/config/paths.js";
import { bothEnds, limitedOutput } from "../../src/tools/output.js";
import { tempDir } from "../support/temp.js";

const filesIn = (home: string) =>
  fs.existsSync(path.join(home, SPILL_FOLDER)) ? fs.readdirSync(path.join(home, SPILL_FOLDER)) : [];

it("a short result stays as it is, without a file", async () => {
  const home = tempDir();
  expect(await limitedOutput("short", { home, key: "k", maxChars: 5 })).toBe("short");
  expect(filesIn(home)).toEqual([]);
});

it("a long result goes to a private file; its beginning and end stay", async () => {
  const home = tempDir();
  const output = `begin ${"x".repeat(5000)} end`;
  const shown = await limitedOutput(output, { home, key: "turn:1/../../x", maxChars: 1000 });
  expect(shown.length).toBeLessThanOrEqual(1000);
  expect(shown).toMatch(/^begin x+/);
  expect(shown).toMatch(/x end$/);
  const [name] = filesIn(home);
  expect(shown).toContain(
    `5010 characters; the middle is left out. The whole output is in ${SPILL_FOLDER}/${name}`,
  );
  const file = path.join(home, SPILL_FOLDER, name!);
  expect(fs.readFileSync(file, "utf8")).toBe(output);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
});

it("the same call writes the same file, another one another", async () => {
  const home = tempDir();
  const place = { home, maxChars: 300 };
  for (const key of ["a", "a", "b"]) await limitedOutput("x".repeat(400), { ...place, key });
  expect(filesIn(home)).toHaveLength(2);
});

it("without room on the disk the agent still gets both ends", async () => {
  const home = path.join(tempDir(), "file");
  fs.writeFileSync(home, "");
  const shown = await limitedOutput("y".repeat(999), { home, key: "k", maxChars: 300 });
  expect(shown).toContain("could not be stored");
});

it("is never longer than the limit, and never cuts a character in two", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", minLength: 200 }),
      fc.integer({ min: 0, max: 400 }),
      (text, max) => {
        const shown = bothEnds(text, max, "note");
        expect(shown.length).toBeLessThanOrEqual(Math.max(0, max));
        expect(() => encodeURIComponent(shown)).not.toThrow();
      },
    ),
  );
});
