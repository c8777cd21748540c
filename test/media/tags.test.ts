import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hideTags, readTags } from "../../src/media/tags.js";

const paths = (answer: string) => readTags(answer).files.map(({ path }) => path);

describe("MEDIA tags", () => {
  it.each([
    ["on a line of its own", "Here:\nMEDIA:/a/plot.png\nDone.", "Here:\nDone.", ["/a/plot.png"]],
    ["within a sentence", "See MEDIA:/a/plot.png, please.", "See please.", ["/a/plot.png"]],
    ["at its end", "See MEDIA:/a/plot.png.", "See.", ["/a/plot.png"]],
    ["in quotes, with a name that has no ending", 'MEDIA:"/a/my notes"', "", ["/a/my notes"]],
    ["with spaces in it", "MEDIA: /a/my plot.png", "", ["/a/my plot.png"]],
    ["two on a line", "MEDIA:/a/1.png, MEDIA:/a/2.pdf", "", ["/a/1.png", "/a/2.pdf"]],
    ["in a list", "Files:\n- MEDIA:/a/1.png\n- MEDIA:/a/2.png", "Files:", ["/a/1.png", "/a/2.png"]],
    ["with several endings", "MEDIA:/a/x.tar.gz", "", ["/a/x.tar.gz"]],
    ["under the home", "MEDIA:media/out/x.md", "", ["media/out/x.md"]],
  ])("are found %s, and their tag isn't shown", (_, answer, text, files) => {
    expect(paths(answer)).toEqual(files);
    expect(readTags(answer).text).toBe(text);
  });

  it.each([
    "```\nMEDIA:/a/plot.png\n```",
    "~~~ sh\nMEDIA:/a/plot.png",
    "Write `MEDIA:/a/plot.png` to send it",
    "> MEDIA:/a/plot.png",
    '{"file": "MEDIA:/a/plot.png"}',
    "MEDIA:/a/plot",
    "MEDIA: nothing here",
    "multiMEDIA:/a/plot.png",
    "no tag at all",
  ])("are not meant by %j", (answer) => {
    expect(readTags(answer)).toEqual({ text: answer, files: [] });
  });

  it("can request a document or voice message", () => {
    expect(readTags("[[as_document]]\nMEDIA:/a/plot.png")).toEqual({
      text: "",
      files: [{ path: "/a/plot.png", as: "document" }],
    });
    expect(readTags("[[audio_as_voice]] MEDIA:/a/word.ogg").files).toEqual([
      { path: "/a/word.ogg", as: "voice" },
    ]);
  });

  it("end before the next tag", () => {
    expect(paths("MEDIA:/a/plot MEDIA:/a/plot.png")).toEqual(["/a/plot.png"]);
  });

  /** Anybody may let an answer be so: looking from each to the end of the line takes minutes, and all wait. */
  it.each(["MEDIA:a.p ", "MEDIA: ", "MEDIA:'x "])(
    "are looked for once, however many a line has of %j",
    (tag) => {
      const answer = `${tag.repeat(60_000)}\n`;
      expect(readTags(answer).files).toEqual(tag.includes("'") ? expect.anything() : []);
      expect(hideTags(`${answer}and more`)).toMatch(/and more$/);
    },
  );

  it("are removed in linear time next to long runs of blanks", () => {
    const blanks = " ".repeat(400_000);
    expect(readTags(`a${blanks}b MEDIA:/a/plot.png`).text).toBe(`a${blanks}b`);
    expect(readTags(`a, ${blanks}MEDIA:/a/plot.png and b`).text).toBe("a, and b");
  });

  it("leave text without a tag unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!/MEDIA:|\[\[/i.test(text));
        expect(readTags(text)).toEqual({ text, files: [] });
        expect(hideTags(text)).toBe(text);
      }),
    );
  });
});

describe("a partial answer", () => {
  it("never shows part of a tag", () => {
    const answer = "Here it is:\nMEDIA:/a/plot.png\nAnd more.";
    for (let length = 1; length <= answer.length; length++)
      expect(hideTags(answer.slice(0, length))).not.toMatch(/MEDIA:|plot/);
    expect(hideTags(answer)).toBe("Here it is:\nAnd more.");
  });
});
