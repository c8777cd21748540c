import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { builtIn } from "../../src/adapters/platforms.js";
import { PLATFORMS as STORMS } from "../chaos/platforms.js";
import { EMULATED_NAMES } from "../emulators/all.js";
import { CHATS, fileNameOf } from "../support/chats.js";

/** A platform is complete when its promises are declared, documented and tried. */

const ROOT = path.resolve(import.meta.dirname, "../..");
const exists = (...names: string[]) => fs.existsSync(path.join(ROOT, ...names));

describe.each(CHATS)("%s", (name) => {
  const { docs, promises, setup, probe } = builtIn(name)!;

  it("describes its setup, its check and what it promises after a crash", () => {
    expect({ setup, probe, promises }).toEqual({
      setup: expect.anything(),
      probe: expect.any(Function),
      promises: {
        inbound: { loses: expect.stringMatching(/^(?:nothing|some)$/), how: expect.stringMatching(/\w/) },
        outbound: { repeats: expect.stringMatching(/^(?:never|marked)$/), how: expect.stringMatching(/\w/) },
      },
    });
  });

  it("has its page", () => {
    expect(docs?.page).toBe(`docs/platforms/${fileNameOf(name)}.md`);
    expect(exists(docs!.page!)).toBe(true);
  });

  it("has an emulator with a chat for everyone to try", () => {
    expect(exists("test/emulators", fileNameOf(name))).toBe(true);
    expect(EMULATED_NAMES).toContain(name);
  });

  it("has a contract suite and is in the crash table", () => {
    expect(exists("test/contract", `${fileNameOf(name)}.test.ts`)).toBe(true);
    expect(Object.keys(STORMS)).toContain(name);
  });
});

it("every page in docs/platforms belongs to a platform, and so does every emulator", () => {
  const pages = fs.readdirSync(path.join(ROOT, "docs/platforms"));
  expect(pages.toSorted()).toEqual(CHATS.map((name) => `${fileNameOf(name)}.md`).toSorted());
  expect(EMULATED_NAMES.toSorted()).toEqual(CHATS.toSorted());
  expect(Object.keys(STORMS).toSorted()).toEqual(CHATS.toSorted());
});
