import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellWidth } from "../../src/cli/cells.js";
import { sessionTable } from "../../src/cli/sessions/table.js";
import type { SessionSummary } from "../../src/session.js";

const NOW = 1_781_600_000;

function summary(fields: Partial<SessionSummary>): SessionSummary {
  return {
    id: "20250305_091523_a1b2c3d4",
    source: "cli",
    title: null,
    preview: "",
    last_active: NOW,
    ...fields,
  } as SessionSummary;
}

describe("the list of sessions", () => {
  it("has titles, previews, times and ids where any session has a title", () => {
    const table = sessionTable(
      [
        summary({
          title: "refactoring auth",
          preview: "Help me refactor the auth module please",
          last_active: NOW - 7200,
        }),
        summary({
          preview: "What's the weather in Las Vegas?",
          last_active: NOW - 3 * 86_400,
          id: "20250303_101500_f",
        }),
      ],
      NOW,
    );
    expect(table.split("\n")).toEqual([
      "Title                            Preview                                  Last Active   ID",
      "─".repeat(110),
      "refactoring auth                 Help me refactor the auth module pleas   2h ago        20250305_091523_a1b2c3d4",
      "—                                What's the weather in Las Vegas?         3d ago        20250303_101500_f",
    ]);
  });

  it("has the source instead where none has", () => {
    const table = sessionTable([summary({ preview: "x".repeat(60), source: "discord" })], NOW);
    expect(table.split("\n")).toEqual([
      "Preview                                            Last Active   Src    ID",
      "─".repeat(95),
      `${"x".repeat(48)}   just now      discord 20250305_091523_a1b2c3d4`,
    ]);
  });

  it("cuts titles at 30 cells", () => {
    const [, , row] = sessionTable([summary({ title: "t".repeat(40), preview: "p" })], NOW).split("\n");
    expect(row?.startsWith(`${"t".repeat(30)}   p `)).toBe(true);
  });

  it("keeps its columns for any text: wide, combined, many-lined or hostile", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }), (title, preview) => {
        const lines = sessionTable([summary({ title: `t${title}`, preview })], NOW).split("\n");
        expect(lines).toHaveLength(3);
        const [before = ""] = lines[2]!.split(/just now {6}2025/);
        expect(cellWidth(before)).toBe(32 + 1 + 40 + 1);
      }),
    );
  });
});
