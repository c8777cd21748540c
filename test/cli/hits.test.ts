import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { drawHits, drawPlan, highlight } from "../../src/cli/sessions/hits.js";
import type { SearchHit } from "../../src/store/store.js";

const NOW = 1_781_600_000;

describe("search hits", () => {
  it("say where, by whom and when, then the passage", () => {
    const hit = {
      session_id: "s1",
      title: "my project",
      source: "cli",
      role: "user",
      timestamp: NOW - 7200,
      snippet: "...the >>>auth<<<\nmodule",
    };
    expect(drawHits([hit as SearchHit], NOW)).toBe(
      "my project · s1 · cli · user · 2h ago\n    ...the >>>auth<<< module",
    );
  });

  it("show matches by weight where there are colours, by marks where not", () => {
    const paint = pc.createColors(true);
    expect(highlight("a >>>b<<< c >>>d<<<", paint)).toBe(
      `a ${paint.bold(paint.yellow("b"))} c ${paint.bold(paint.yellow("d"))}`,
    );
    expect(highlight("a >>>b<<<", pc.createColors(false))).toBe("a >>>b<<<");
  });

  it("explain how a query was understood", () => {
    expect(drawPlan({ query: "it's", match: '"it\'s"', path: "fts" })).toBe(
      "Query:     it's\nFTS query: \"it's\"\nPath:      fts (full-text index of words)",
    );
  });
});
