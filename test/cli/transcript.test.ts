import { describe, expect, it } from "vitest";
import { contentText, drawTranscript, foldTools, toolSummary } from "../../src/cli/sessions/transcript.js";
import type { MessageRow } from "../../src/session.js";

const AT = new Date(2026, 5, 16, 9, 15).getTime() / 1000;

function message(fields: Partial<MessageRow>): MessageRow {
  return {
    id: 1,
    session_id: "s",
    role: "user",
    content: null,
    tool_calls: null,
    timestamp: AT,
    ...fields,
  } as MessageRow;
}

const call = (name: string) => ({ id: "1", type: "function", function: { name, arguments: "{}" } });

describe("the transcript", () => {
  it("folds tool calls into the answer before them and leaves out what machines said", () => {
    const text = drawTranscript([
      message({ role: "session_meta", content: "x" }),
      message({ content: "list\nmy files" }),
      message({ role: "assistant", content: "Looking.", tool_calls: [call("terminal")] }),
      message({ role: "tool", content: "a very long result" }),
      message({ role: "assistant", tool_calls: [call("terminal"), call("web_search")] }),
      message({ role: "assistant", content: "Two files." }),
    ]);
    expect(text).toBe(
      [
        "● user  2026-06-16 09:15",
        "  list",
        "  my files",
        "",
        "◆ assistant  2026-06-16 09:15",
        "  Looking.",
        "  [3 tool calls: terminal, web_search]",
        "",
        "◆ assistant  2026-06-16 09:15",
        "  Two files.",
      ].join("\n"),
    );
  });

  it("shows how many messages a limit omits", () => {
    const three = ["one", "two", "three"].map((content) => message({ content }));
    expect(drawTranscript(three, 1)).toBe("... 2 earlier messages ...\n\n● user  2026-06-16 09:15\n  three");
    expect(drawTranscript([])).toBe("No messages yet.");
  });

  it("removes terminal control sequences from stored text", () => {
    expect(drawTranscript([message({ content: "\u001b[2Jgone" })])).not.toContain("\u001b");
  });

  it("holds messages of any length", () => {
    expect(drawTranscript([message({ content: "line\n".repeat(200_000) })]).split("\n")).toHaveLength(
      200_001,
    );
  });

  it("survives tool calls of any shape", () => {
    const entries = foldTools([
      message({ role: "assistant", tool_calls: [null, 3, {}, { name: "a" }, { function: null }] }),
    ]);
    expect(entries[0]?.tools).toEqual(["unknown", "unknown", "unknown", "a", "unknown"]);
  });

  it("names four tools at most", () => {
    expect(toolSummary(["a"])).toBe("[1 tool call: a]");
    expect(toolSummary(["a", "b", "c", "d", "e", "a"])).toBe("[6 tool calls: a, b, c, d, …]");
  });

  it("reads the text of multimodal messages", () => {
    expect(
      contentText([
        { type: "text", text: "look" },
        { type: "image_url", image_url: {} },
      ]),
    ).toBe("look\n[image_url]");
    expect(contentText({ text: "one" })).toBe("one");
    expect(contentText(null)).toBe("");
  });
});
