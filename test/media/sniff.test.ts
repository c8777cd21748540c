import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { kindOf, sniff } from "../../src/media/sniff.js";
import { GIF, PNG } from "../support/pictures.js";
import { tempDir } from "../support/temp.js";

async function typeOf(content: Buffer | string, declared?: string) {
  const file = path.join(tempDir(), "x");
  fs.writeFileSync(file, content);
  return sniff(file, declared);
}

describe("a file's type", () => {
  it.each([
    ["a picture that calls itself a script", PNG, "application/x-sh", "image/png", "png"],
    ["an animation", GIF, undefined, "image/gif", "gif"],
    ["a document", "%PDF-1.7\n", undefined, "application/pdf", "pdf"],
    ["a text", "plain words", undefined, "text/plain", "txt"],
    ["a table", "a,b\n1,2\n", "text/csv; charset=utf-8", "text/csv", "txt"],
    ["data", '{"a": 1}', "application/json", "application/json", "txt"],
    ["a text that calls itself a picture", "<svg/>", "image/svg+xml", "text/plain", "txt"],
    [
      "bytes that call themselves a picture",
      Buffer.from([1, 0, 2]),
      "image/png",
      "application/octet-stream",
      "bin",
    ],
    ["nothing", "", "image/png", "application/octet-stream", "bin"],
  ])("of %s is what its bytes say", async (_, content, declared, mimeType, extension) => {
    expect(await typeOf(content, declared)).toEqual({ mimeType, extension });
  });

  it("is text even if the sample ends within a character", async () => {
    expect(await typeOf(`x${"ä".repeat(3000)}`)).toMatchObject({ mimeType: "text/plain" });
  });

  it("decides the attachment kind", () => {
    const types = ["image/png", "audio/ogg", "video/mp4", "application/pdf", undefined];
    expect(types.map(kindOf)).toEqual(["image", "audio", "video", "file", "file"]);
  });
});
