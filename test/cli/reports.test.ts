import { describe, expect, it } from "vitest";
import { cellWidth } from "../../src/cli/cells.js";
import { matches, pickLabel } from "../../src/cli/sessions/browse.js";
import { drawOptimized } from "../../src/cli/sessions/optimize.js";
import { drawReport } from "../../src/cli/sessions/repair.js";
import { drawStats } from "../../src/cli/sessions/stats.js";
import type { SessionSummary } from "../../src/session.js";

const MB = 1024 * 1024;
const NOW = 1_781_600_000;

describe("what commands say", () => {
  it("stats has a line for every source", () => {
    const bySource = [
      { source: "cli", sessions: 89, messages: 1 },
      { source: "feishu", sessions: 53, messages: 1 },
    ];
    const stats = { sessions: 142, archived: 0, messages: 3847, bySource, databaseBytes: 12.4 * MB };
    const rest = { newestMessageAt: null, fullText: "compact" as const, schemaVersion: 11 };
    expect(drawStats({ ...stats, ...rest })).toBe(
      "Total sessions: 142\nTotal messages: 3847\n  cli: 89 sessions\n  feishu: 53 sessions\nDatabase size: 12.4 MB",
    );
  });

  it("optimize tells why no space was given back", () => {
    const sizes = { bytesBefore: 356 * MB, bytesAfter: 178 * MB };
    expect(drawOptimized({ ...sizes, converted: true })).toBe(
      "Database size: 356.0 MB → 178.0 MB\nThe full-text index now has the compact layout.",
    );
    expect(drawOptimized({ ...sizes, converted: false, note: "In use." })).toMatch(/178\.0 MB\nIn use\.$/);
  });

  it("repair names problems, repairs and the copy", () => {
    expect(drawReport({ ok: false, problems: ["page 3"] })).toBe(
      "problem: page 3\nThe database has problems.",
    );
    expect(drawReport({ ok: true, problems: ["fts"], copy: "/x.bak", repaired: ["full text"] })).toBe(
      "problem: fts\nrepaired: full text\nA copy is kept at /x.bak\nThe database is intact.",
    );
  });
});

describe("the picker", () => {
  const session = {
    id: "20250305_0915",
    title: "天気 in Tokyo ".repeat(9),
    preview: "What's the weather?",
    source: "telegram",
    last_active: NOW - 60,
  } as SessionSummary;

  it("aligns its labels, wide characters included", () => {
    const [name] = pickLabel(session, NOW, 104).split("  1m ago · telegram");
    expect(cellWidth(name!)).toBe(44);
    expect(pickLabel({ ...session, title: null }, NOW, 104)).toMatch(/^What's the weather\? /);
  });

  it("finds a session by any words of what it shows", () => {
    for (const typed of ["", "TOKYO", "tele weath", "20250305", "  天気 "])
      expect(matches(session, typed)).toBe(true);
    expect(matches(session, "tokyo discord")).toBe(false);
    expect(matches(undefined, "")).toBe(false);
  });
});
