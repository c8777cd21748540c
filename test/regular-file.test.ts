import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readPairingFiles } from "../src/cli/adopt/pairing-files.js";
import { loadConfig } from "../src/config/load.js";
import { findHooks } from "../src/hooks/find.js";
import { ownerToken } from "../src/http/owner-token.js";
import { readImages } from "../src/media/images.js";
import { openRegular, readRegular, readRegularSync } from "../src/regular-file.js";
import { readIndex } from "../src/sessions/index-file.js";
import { readAliasFrom } from "../src/sessions/whatsapp-identity.js";
import { memoryFile, memoryFiles } from "../src/tools/memory-files.js";
import { atEnd } from "./support/at-end.js";
import { fifo } from "./support/fifo.js";
import { tempDir } from "./support/temp.js";

describe("reading a regular file", () => {
  it("returns its content", async () => {
    const file = path.join(tempDir(), "a.txt");
    fs.writeFileSync(file, "text");
    expect((await readRegular(file)).toString()).toBe("text");
    expect(readRegularSync(file)).toBe("text");
  });

  it.each<[string, (dir: string) => string | Promise<string>]>([
    ["a FIFO", (dir) => fifo(dir, "pipe")],
    [
      "a link to a FIFO",
      (dir) => {
        fs.symlinkSync(fifo(dir, "pipe"), `${dir}/link`);
        return `${dir}/link`;
      },
    ],
    ["a folder", (dir) => dir],
    ["a device", () => "/dev/zero"],
    [
      "a socket",
      (dir) =>
        new Promise((resolve) => {
          const server = net.createServer().listen(`${dir}/socket`, () => resolve(`${dir}/socket`));
          atEnd(() => void server.close());
        }),
    ],
  ])("rejects %s immediately", async (_, make) => {
    const file = await make(tempDir());
    await expect(openRegular(file)).rejects.toThrow("not a regular file");
    expect(() => readRegularSync(file)).toThrow();
  });

  it("reports a missing file like the system", async () => {
    const missing = path.join(tempDir(), "none");
    await expect(readRegular(missing)).rejects.toMatchObject({ code: "ENOENT" });
    expect(() => readRegularSync(missing)).toThrow("ENOENT");
  });
});

describe("a FIFO in the home blocks nothing", () => {
  it("as sessions.json", async () => {
    const file = fifo(tempDir(), "sessions", "sessions.json");
    await expect(readIndex(file)).rejects.toThrow(/Can't read .*not a regular file/);
  });

  it.each(["config.yaml", ".env"])("as %s", (name) => {
    const home = tempDir();
    fifo(home, name);
    expect(() => loadConfig({ home, env: {} })).toThrow("not a regular file");
  });

  it("as a person's memory", async () => {
    const home = tempDir();
    const person = { platform: "web", userId: "ann" };
    fifo(memoryFile(home, person));
    await expect(memoryFiles(home).read(person)).rejects.toThrow("not a regular file");
  });

  it("as a hook's manifest or module", () => {
    const home = tempDir();
    fifo(home, "one", "HOOK.yaml");
    fifo(home, "two", "handler.mjs");
    fs.writeFileSync(path.join(home, "two", "HOOK.yaml"), "events: [session:start]\n");
    expect(findHooks(home)).toEqual({
      modules: [],
      problems: [
        { name: "one", problem: "HOOK.yaml: it is not a regular file" },
        { name: "two", problem: "has no handler.mjs or handler.js" },
      ],
    });
  });

  it("as the owner's token", () => {
    const file = fifo(tempDir(), "dashboard.token");
    expect(() => ownerToken(file)).toThrow("not a regular file");
  });

  it("as a link between WhatsApp's ids", () => {
    const home = tempDir();
    fifo(home, "whatsapp", "session", "lid-mapping-49123.json");
    expect(readAliasFrom(home)("49123")).toEqual([]);
  });

  it("as an image for a model", async () => {
    const home = tempDir();
    fifo(home, "media", "in", "a.png");
    const picture = { kind: "image", mimeType: "image/png", path: "media/in/a.png" } as const;
    const limits = { maxBytes: 1000, maxCount: 1 };
    expect(await readImages([picture], { home, folder: "media/in" }, limits)).toEqual({
      parts: [],
      omitted: 1,
    });
  });

  it("as another Hermes' list of paired people", async () => {
    const home = tempDir();
    fifo(home, "pairing", "telegram-approved.json");
    await expect(readPairingFiles(home)).rejects.toThrow("not a regular file");
  });
});
