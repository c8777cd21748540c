import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLines } from "../../src/cli/lines.js";
import { readSessions } from "../../src/cli/sessions/exported.js";
import { jsonLine } from "../../src/json-line.js";

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** A stream in pieces of `size` bytes: lines and characters may be torn anywhere. */
function inPieces(text: string, size: number): Readable {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return Readable.from(pieces);
}

const session = {
  id: "a",
  source: "cli",
  started_at: 1,
  messages: [{ role: "user", timestamp: 1, content: "hi" }],
};

describe("reading lines", () => {
  it("splits at line feeds only, however the bytes arrive", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "grapheme" })),
        fc.integer({ min: 1, max: 9 }),
        async (texts, size) => {
          const clean = texts.map((text) => text.replace(/[\n\uFEFF]/g, ""));
          const lines = await all(readLines(inPieces(clean.map((text) => `${text}\n`).join(""), size)));
          expect(lines).toEqual(clean.map((text, index) => ({ number: index + 1, text })));
        },
      ),
    );
  });
});

describe("exported sessions", () => {
  it("round-trip with any text", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "binary" }),
        fc.integer({ min: 1, max: 50 }),
        async (content, size) => {
          const sent = {
            ...session,
            messages: [{ role: "user", timestamp: 1, content: `${content}\u2028\u2029` }],
          };
          const line = jsonLine(sent);
          expect(line).not.toMatch(/[\n\u2028\u2029]/);
          expect(await all(readSessions(inPieces(`${line}\n`, size)))).toEqual([sent]);
        },
      ),
    );
  });

  it("allow blank lines and a byte order mark", async () => {
    expect(
      await all(readSessions(Readable.from([Buffer.from(`\uFEFF${JSON.stringify(session)}\r\n\n`)]))),
    ).toEqual([session]);
  });

  it.each([
    ["{", /^Line 2: not JSON/],
    ["[]", /^Line 2: not a session\.$/],
    ["{}", /^Line 2: the session has no id\.$/],
    [JSON.stringify({ ...session, id: "b", source: 3 }), /^Line 2: the session has no source\.$/],
    [JSON.stringify({ ...session, id: "b", started_at: "now" }), /^Line 2: the session has no started_at\.$/],
    [
      JSON.stringify({ ...session, id: "b", messages: undefined }),
      /^Line 2: the session has no list of messages\.$/,
    ],
    [JSON.stringify({ ...session, id: "b", messages: [{ role: "user" }] }), /^Line 2: message 1 has no role/],
    [JSON.stringify(session), /^Line 2: session 'a' is also on line 1\.$/],
  ])("refuse %s", async (line, message) => {
    const reading = all(readSessions(inPieces(`${JSON.stringify(session)}\n${line}\n`, 7)));
    await expect(reading).rejects.toThrow(message);
  });
});
